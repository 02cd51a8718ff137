import GatehouseCore
import GatehouseKit
import HTTPFront
import PasswordProvider
import WebAuthn
import Wire

/// What must hold between settings that are each fine by themselves.
enum ConfigurationRules {
    static func check(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        checkRelyingParty(configuration, problems)
        PortalRules.check(configuration, problems)
        checkListeners(configuration, problems)
        checkRules(configuration, problems)
        checkHashing(configuration, problems)
        checkBackup(configuration, problems)
    }

    /// WebAuthn Level 3 §5.1.3: the RP ID is the origin's host or a domain above it.
    private static func checkRelyingParty(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        let (origin, id) = (configuration.publicOrigin, configuration.relyingPartyID)
        guard HostName.isWithin(origin.host, id), id == origin.host || PublicSuffix.registrableDomain(of: id) != nil,
            IPAddress(id) == nil
        else {
            let reason = "is neither the host of \(origin) nor a domain above it that can be registered"
            return problems.add(nil, "passkeys.rp_id", "\(id) \(reason)")
        }
        let labels = Set(configuration.passkeyOrigins.map { label($0.host) })
        if labels.count > 5 {
            problems.add(
                nil,
                "related_origins",
                "browsers look at five different names at most, here are \(labels.count)"
            )
        }
    }

    /// WebAuthn Level 3 §5.11.1 counts the first name of each registrable domain.
    private static func label(_ host: String) -> Substring {
        (PublicSuffix.registrableDomain(of: host) ?? host).prefix { $0 != "." }
    }

    /// Rules that nobody could ever satisfy, and such as never decide.
    private static func checkRules(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        for (index, cover) in AccessRules(configuration.rules).unreachable {
            let reason = "never decides: access.rules[\(cover)] matches whatever it does; move it up, or take it out"
            problems.add(nil, "access.rules[\(index)]", reason)
        }
        checkNetworks(configuration, problems)
        for (index, rule) in configuration.rules.enumerated() {
            guard case .require(let requirement) = rule.decision else { continue }
            let path = "access.rules[\(index)].require"
            if !requirement.kinds.isEmpty, !requirement.kinds.contains(where: configuration.kinds.contains) {
                problems.add(nil, "\(path).kinds", "none of these is enabled under providers")
            }
            checkMachines(requirement, path, configuration, problems)
            if requirement.assurance == .aal3, !configuration.attestation.canTrust, !configuration.devices.canTrust {
                let reason = "aal3 needs attested keys; set providers.passkey.attestation, or use aal2"
                problems.add(nil, "\(path).assurance", reason)
            }
        }
    }

    /// A visitor's address is the last one that is no proxy of ours.
    private static func checkNetworks(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        let proxies = configuration.trustedProxies.networks
        for (index, rule) in configuration.rules.enumerated() {
            for network in rule.networks where proxies.contains(where: { $0.contains(network) }) {
                let reason = "\(network) is all trusted proxies, and no visitor comes from those"
                problems.add(nil, "access.rules[\(index)].networks", reason)
            }
        }
    }

    /// One factor with every request is never more than that.
    private static func checkMachines(
        _ requirement: Requirement,
        _ path: String,
        _ configuration: Configuration,
        _ problems: ConfigurationProblems
    ) {
        if requirement.machines.contains(.basic), !configuration.kinds.contains(.password) {
            problems.add(nil, "\(path).machines", "basic needs providers.password, which is not enabled")
        }
        let issuers = configuration.issuers.filter { requirement.machines.contains($0.kind) && !$0.takesMachines }
        if let issuer = issuers.first {
            problems.add(nil, "\(path).machines", "\(issuer.kind) has no machine_audiences under providers.oidc")
        }
        let singles = requirement.machines.filter { $0 != .accessToken }
        guard !requirement.isMetByOneFactor, let single = singles.first else { return }
        let reason = "\(single) is one factor, and the rule asks for more; leave it out, or kinds, assurance and age"
        problems.add(nil, "\(path).machines", reason)
    }

    private static func checkHashing(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        guard Int(configuration.hashCost.memoryKiB) > configuration.hashingBudgetMiB * 1_024 else { return }
        problems.add(nil, "hashing.memory_budget_mib", "is less than one hash takes (memory_kib)")
    }

    private static func checkBackup(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        guard configuration.attestation.refusesSynced,
            configuration.passkeys.backupEligibilityChange == .flag
        else { return }
        let reason = "flag lets passkeys in that device_bound_only keeps out; refuse, or take synced ones too"
        problems.add(nil, "providers.passkey.backup_eligibility_change", reason)
    }

    private static func checkListeners(_ configuration: Configuration, _ problems: ConfigurationProblems) {
        let all = [configuration.listenPublic, configuration.listenCheck, configuration.listenOperations]
        let fixed = all.filter { if case .tcp(_, port: 0) = $0 { false } else { true } }
        if Set(fixed).count < fixed.count { problems.add(nil, "listen", "each listener needs an address of its own") }
    }
}
