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

    private func duration(seconds: Int64) -> String {
        let (count, unit) = seconds < 60 ? (seconds, "second") : ((seconds + 59) / 60, "minute")
        guard count != 1 else { return self["error.wait.\(unit)"] }
        return self["error.wait.\(unit)s"].replacing("{count}", with: String(count))
    }
}
