import Crypto
import FoundationEssentials
import WebAuthn
import Wire

/// What passkeys have to prove of the device that keeps them.
struct AttestationSettings {
    enum Policy: String, CaseIterable {
        case notWanted = "not-wanted"
        case wanted, required
    }

    var policy = Policy.notWanted
    var roots: [Certificate] = []
    var allowedModels: [Base64URL] = []
    var deniedModels: [Base64URL] = []
    var isDeviceBoundOnly = false

    /// Whether any passkey could come to count as attested.
    var canTrust: Bool { policy != .notWanted && !roots.isEmpty }

    var rule: AttestationPolicy {
        let anchors = TrustAnchors(roots)
        return switch policy {
        case .notWanted: .notWanted
        case .wanted: .wanted(anchors)
        case .required:
            .required(
                AttestationRequirements(
                    anchors: anchors,
                    allowedAAGUIDs: allowedModels.isEmpty ? nil : Set(allowedModels),
                    deniedAAGUIDs: Set(deniedModels)
                )
            )
        }
    }
}

extension AttestationSettings {
    /// - Parameter section: That of the provider.
    static func read(_ section: ConfigurationSection) -> AttestationSettings {
        let attestation = section.section("attestation")
        defer { attestation.finish() }
        let model = "an AAGUID: 32 hexadecimal digits with hyphens between them"
        let settings = AttestationSettings(
            policy: attestation.choice("policy", default: .notWanted),
            roots: attestation.list("roots", "a PEM file of certificates", certificates)?.flatMap(\.self) ?? [],
            allowedModels: attestation.list("allow_aaguids", model, aaguid) ?? [],
            deniedModels: attestation.list("deny_aaguids", model, aaguid) ?? [],
            isDeviceBoundOnly: section.flag("device_bound_only", default: false)
        )
        settings.check(attestation)
        return settings
    }

    private func check(_ section: ConfigurationSection) {
        if policy == .required, roots.isEmpty {
            section.problem(nil, "roots", "must name at least one file where policy is required")
        }
        if policy == .notWanted, !roots.isEmpty {
            section.problem(nil, "roots", "have no effect where policy is not-wanted")
        }
        if policy != .required, !allowedModels.isEmpty || !deniedModels.isEmpty {
            let key = allowedModels.isEmpty ? "deny_aaguids" : "allow_aaguids"
            section.problem(nil, key, "proves nothing unless policy is required: without a chain an AAGUID is a claim")
        }
    }

    /// The certificates of a file; `nil` if there are none in it, or one that can't be used.
    private static func certificates(_ path: String) -> [Certificate]? {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 1 << 20,
            let text = String(validating: data, as: UTF8.self), let encodings = PEM.certificates(in: text)
        else { return nil }
        let certificates = encodings.compactMap { try? Certificate(der: $0) }
        return certificates.isEmpty || certificates.count < encodings.count ? nil : certificates
    }

    /// 8-4-4-4-12 hexadecimal digits, as FIDO lists write it.
    private static func aaguid(_ text: String) -> Base64URL? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.allSatisfy(\.isHexDigit) }) else {
            return nil
        }
        let digits = groups.joined().compactMap(\.hexDigitValue)
        guard digits.count == 32 else { return nil }
        return Base64URL(bytes: stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
