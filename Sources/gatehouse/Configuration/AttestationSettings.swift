import Crypto
import PasskeyProvider
import WebAuthn
import Wire

/// What passkeys have to prove of the device that keeps them.
struct AttestationSettings {
    private var roots: [Certificate] = []
    private var common = AuthenticatorSettings()
    /// In the order of the file: the first one that an account is in decides.
    private var groups: [(name: String, settings: AuthenticatorSettings)] = []
    private(set) var metadata: MetadataSettings?

    /// Whether any passkey could come to count as attested.
    var canTrust: Bool { hasTrust && all.contains { $0.policy != .notWanted } }

    /// Whether synced passkeys are kept out, of all accounts or of some.
    var refusesSynced: Bool { all.contains(where: \.isDeviceBoundOnly) }

    private var hasTrust: Bool { !roots.isEmpty || metadata != nil }
    private var all: [AuthenticatorSettings] { [common] + groups.map(\.settings) }

    /// - Parameter metadata: That of the settings, once it is kept.
    func rules(_ metadata: AuthenticatorMetadata?) -> AuthenticatorRules {
        let trust = AttestationTrust(TrustAnchors(roots), metadata: metadata)
        return AuthenticatorRules(common.rule(trust), groups: groups.map { ($0.name, $0.settings.rule(trust)) })
    }
}

extension AttestationSettings {
    /// - Parameter section: That of the provider.
    static func read(_ section: ConfigurationSection) -> AttestationSettings {
        var settings = AttestationSettings()
        settings.metadata = MetadataSettings.read(section)
        let attestation = section.section("attestation")
        settings.roots =
            attestation.list("roots", "a PEM file of certificates", PEMFile.certificates)?.flatMap(\.self) ?? []
        settings.common = .read(attestation)
        settings.common.isDeviceBoundOnly = section.flag("device_bound_only", default: false)
        let groups = attestation.sections("groups") ?? []
        settings.groups = groups.compactMap { group in settings.readGroup(group) }
        settings.check(attestation, settings.common)
        for (group, own) in zip(groups, settings.groups) { settings.check(group, own.settings) }
        if settings.all.allSatisfy({ $0.policy == .notWanted }), !settings.roots.isEmpty {
            attestation.problem(nil, "roots", "have no effect where policy is not-wanted")
        }
        attestation.finish()
        return settings
    }

    private func readGroup(_ section: ConfigurationSection) -> (name: String, settings: AuthenticatorSettings) {
        defer { section.finish() }
        let name = section.text("group")
        if name == nil { section.problem(nil, "group", "must name a group") }
        var own = AuthenticatorSettings.read(section)
        own.isDeviceBoundOnly = section.flag("device_bound_only", default: common.isDeviceBoundOnly)
        return (name ?? "", own)
    }

    private func check(_ section: ConfigurationSection, _ own: AuthenticatorSettings) {
        if own.policy == .required, !hasTrust {
            section.problem(nil, "policy", "is required, so attestation.roots or metadata must name whom to trust")
        }
        if own.policy != .required, let key = own.firstRestriction {
            section.problem(nil, key, "proves nothing unless policy is required: without a chain an AAGUID is a claim")
        }
        if own.certification != nil, metadata == nil {
            section.problem(nil, "certification", "is known from metadata only; set providers.passkey.metadata")
        }
    }
}

/// The part of it that each group may have for itself.
struct AuthenticatorSettings {
    enum Policy: String, CaseIterable {
        case notWanted = "not-wanted"
        case wanted, required
    }

    var policy = Policy.notWanted
    var allowedModels: [Base64URL] = []
    var deniedModels: [Base64URL] = []
    var certification: CertificationLevel?
    var isDeviceBoundOnly = false

    /// The key of a setting that only means something where attestation is required.
    var firstRestriction: String? {
        if !allowedModels.isEmpty { return "allow_aaguids" }
        if !deniedModels.isEmpty { return "deny_aaguids" }
        return certification == nil ? nil : "certification"
    }

    static func read(_ section: ConfigurationSection) -> AuthenticatorSettings {
        let model = "an AAGUID: 32 hexadecimal digits with hyphens between them"
        let levels = CertificationLevel.allCases.map(\.name).joined(separator: ", ")
        return AuthenticatorSettings(
            policy: section.choice("policy", default: .notWanted),
            allowedModels: section.list("allow_aaguids", model, AAGUID.bytes) ?? [],
            deniedModels: section.list("deny_aaguids", model, AAGUID.bytes) ?? [],
            certification: section.value("certification", "one of \(levels)") { text in
                CertificationLevel.allCases.first { $0.name == text }
            }
        )
    }

    func rule(_ trust: AttestationTrust) -> AuthenticatorRule {
        let attestation: AttestationPolicy =
            switch policy {
            case .notWanted: .notWanted
            case .wanted: .wanted(trust)
            case .required:
                .required(
                    AttestationRequirements(
                        trust,
                        allowedAAGUIDs: allowedModels.isEmpty ? nil : Set(allowedModels),
                        deniedAAGUIDs: Set(deniedModels),
                        certification: certification
                    )
                )
            }
        return AuthenticatorRule(attestation: attestation, deviceBoundOnly: isDeviceBoundOnly)
    }
}

extension CertificationLevel {
    fileprivate var name: String {
        switch self {
        case .functional: "functional"
        case .l1: "l1"
        case .l1Plus: "l1plus"
        case .l2: "l2"
        case .l2Plus: "l2plus"
        case .l3: "l3"
        case .l3Plus: "l3plus"
        }
    }
}
