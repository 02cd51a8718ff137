import GatehouseCore
import GatehouseKit
import HTTPFront
import PasswordProvider
import Wire

/// Protection, and who may reach what.
extension ConfigurationReader {
    func readProtection(into configuration: inout Configuration) {
        let hashing = root.section("hashing")
        configuration.hashCost = HashCost(
            memoryKiB: UInt32(hashing.integer("memory_kib", in: 64...262_144, default: 19_456)),
            passes: UInt32(hashing.integer("passes", in: 1...10, default: 2)),
            lanes: UInt32(hashing.integer("lanes", in: 1...4, default: 1))
        )
        configuration.hashingBudgetMiB = hashing.integer("memory_budget_mib", in: 1...65_536, default: 256)
        let expected = "{file: …} or {env: …} with at least \(Pepper.minimumLength) bytes"
        let pepper = hashing.secret("pepper", expected, from: environment, Pepper.init)
        let former = hashing.secrets("former_peppers", expected, from: environment, Pepper.init)
        configuration.peppers = [pepper].compactMap(\.self) + former
        if pepper == nil, !former.isEmpty {
            hashing.problem(nil, "former_peppers", "need a pepper to go over to")
        }
        hashing.finish()
        readThrottle(into: &configuration)
        configuration.migration = MigrationSettings.read(root.section("migration"))
        let outgoing = root.section("outgoing")
        configuration.outgoingAuthorities = outgoing.value("authorities", "a PEM file of certificates") { path in
            PEMFile.certificates(path).map { _ in path }
        }
        outgoing.finish()
    }

    private func readThrottle(into configuration: inout Configuration) {
        let throttle = root.section("throttle")
        let free = throttle.integer("free_failures", in: 1...1_000_000, default: 5)
        let perMinute = throttle.integer("per_address_per_minute", in: 1...10_000_000, default: 120)
        func limit(_ key: String, default fallback: Int) -> Int64 {
            Int64(throttle.integer(key, in: 1...1_000_000_000, default: fallback))
        }
        configuration.throttle = ThrottlePolicy(
            freeFailures: Int64(free),
            longestWait: throttle.duration("longest_wait", in: .seconds(1)...(.days(1)), default: .minutes(15)),
            freeFailuresPerName: limit("free_failures_per_name", default: 10 * free),
            perAddressPerHour: limit("failures_per_address_per_hour", default: 2 * perMinute),
            perMinute: limit("failures_per_minute", default: 60 * free)
        )
        configuration.attemptsPerMinute = perMinute
        throttle.finish()
    }

    func readAccess(into configuration: inout Configuration) {
        let access = root.section("access")
        let isStated = access.has("trusted_proxies")
        let proxies = access.list(
            "trusted_proxies",
            "a network such as 10.0.0.0/8 but not all addresses, or unix:",
            TrustedPeer.init
        )
        let loopback = ["127.0.0.1/32", "::1/128"].compactMap(TrustedPeer.init)
        let peers = proxies ?? (isStated ? [] : loopback)
        configuration.trustedProxies = TrustedProxies(
            networks: peers.compactMap(\.network),
            unixSocket: peers.contains { $0.network == nil }
        )
        if let sections = access.sections("rules") {
            configuration.rules = sections.compactMap { AccessRuleReader.read($0, kinds: configuration.signInKinds) }
        } else if let host = HostPattern(configuration.publicOrigin.host) {
            configuration.rules = [AccessRule(host: host, decision: .require(Requirement()))]
        }
        access.finish()
        configuration.machines = MachineSettings.read(root.section("machines"))
        let identity = root.section("identity")
        let period = IdentitySigner.shortestRotation...Timestamp.Span.days(365)
        let rotation = identity.duration("key_rotation", in: period, default: .hours(24))
        configuration.identityKeyRotation = identity.flag("token", default: false) ? rotation : nil
        identity.finish()
    }
}

/// One entry of `access.trusted_proxies`.
private struct TrustedPeer {
    /// `nil` for the Unix socket itself.
    let network: IPNetwork?

    init?(_ text: String) {
        if text == "unix:" {
            network = nil
        } else {
            guard let network = IPNetwork(text), network.prefixLength > 0 else { return nil }
            self.network = network
        }
    }
}

extension ListenAddress {
    /// Whether nobody but this machine can connect.
    var isLoopback: Bool {
        switch self {
        case .tcp(let address, _): address.isLoopback
        case .unix: true
        }
    }
}
