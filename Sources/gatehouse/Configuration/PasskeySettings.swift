import WebAuthn
import Wire

/// How passkeys are asked for and what is taken of them, beside attestation.
struct PasskeySettings {
    /// Offered at registration, the preferred one first.
    var algorithms = COSEAlgorithm.defaults
    /// `nil` for any.
    var attachment: AuthenticatorAttachment?
    /// The likeliest first.
    var hints: [PublicKeyCredentialHint] = []
    var counterRegression = AnomalyPolicy.refuse
    var backupEligibilityChange = AnomalyPolicy.refuse
    /// Sites in whose pages a frame may ask for passkeys.
    var topOrigins: [WebOrigin] = []

    var framing: RelyingParty.Framing {
        topOrigins.isEmpty ? .refused : .allowed(topOrigins: topOrigins.map(\.description))
    }
}

extension PasskeySettings {
    /// - Parameter section: That of the provider.
    static func read(_ section: ConfigurationSection) -> PasskeySettings {
        var settings = PasskeySettings()
        let names = COSEAlgorithm.supported.compactMap(\.name)
        let stated = section.restriction("algorithms", oneOf(names), once(COSEAlgorithm.init(name:)))
        if !stated.isEmpty { settings.algorithms = stated }
        settings.attachment = section.value("attachment", "platform or cross-platform") {
            AuthenticatorAttachment(rawValue: $0)
        }
        let hints = PublicKeyCredentialHint.allCases.map(\.rawValue)
        settings.hints = section.list("hints", oneOf(hints), once { PublicKeyCredentialHint(rawValue: $0) }) ?? []
        settings.counterRegression = section.choice("counter", default: .refuse)
        settings.backupEligibilityChange = section.choice("backup_eligibility_change", default: .refuse)
        settings.topOrigins = section.list("top_origins", "an https origin", PublicURL.parse) ?? []
        return settings
    }

    private static func oneOf(_ names: [String]) -> String {
        "one of \(names.joined(separator: ", ")), and stand there once"
    }

    /// Takes each value the first time only: in a list whose order counts, a second place is a mistake.
    private static func once<Value: Hashable>(_ make: @escaping (String) -> Value?) -> (String) -> Value? {
        var seen: Set<Value> = []
        return { text in make(text).flatMap { seen.insert($0).inserted ? $0 : nil } }
    }
}
