import FoundationEssentials
import GatehouseKit

/// Every word that the portal says, by key; the pages' scripts read the same catalog.
struct PortalText: Sendable {
    let words: [String: String]

    static let english = PortalText(json: PackageResources.en_json)

    private init(json: [UInt8]) {
        // Built into the binary, and read by a test: it is an object of strings.
        words = (try? JSONDecoder().decode([String: String].self, from: Data(json))) ?? [:]
    }

    subscript(key: String) -> String { words[key] ?? "" }

    /// What to tell a person about an error.
    func message(for error: SignInError) -> String {
        let code = Problem.code(of: error)
        if code == .tooManyAttempts, case .refused(let refusal) = error, case .retryAfter(let wait) = refusal.remedy {
            return self["error.wait"].replacing("{time}", with: duration(seconds: wait))
        }
        return words["error.\(code.rawValue)"] ?? self["error.default"]
    }

    /// What to tell a person about an error of one kind of credential.
    func message(for error: SignInError, in kind: CredentialKind) -> String {
        words["error.\(kind).\(Problem.code(of: error).rawValue)"] ?? message(for: error)
    }

    /// The code itself if there is something to tell about it, and otherwise `default`.
    func known(_ code: String, in kind: CredentialKind) -> String {
        words["error.\(kind).\(code)"] == nil ? "default" : code
    }

    /// What to tell a person who comes back with a kind and a code in the address, such as `apple.cancelled`.
    ///
    /// - Returns: `nil` for what isn't in the catalog: nobody else's words get onto the page.
    func message(named name: String, of kinds: [CredentialKind]) -> String? {
        kinds.contains { name.hasPrefix("\($0).") } ? words["error.\(name)"] : nil
    }

    private func duration(seconds: Int64) -> String {
        let (count, unit) = seconds < 60 ? (seconds, "second") : ((seconds + 59) / 60, "minute")
        guard count != 1 else { return self["error.wait.\(unit)"] }
        return self["error.wait.\(unit)s"].replacing("{count}", with: String(count))
    }
}
