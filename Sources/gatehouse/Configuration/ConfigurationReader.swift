import FoundationEssentials
import GatehouseCore
import GatehouseKit
import HTTPFront
import PasswordProvider
import WebAuthn
import Wire

/// Reads a configuration file and the environment, and reports all that is wrong with them at once.
struct ConfigurationReader {
    private let root: ConfigurationSection
    private let problems: ConfigurationProblems
    private let environment: [String: String]
    private let file: String?

    /// - Parameter file: `nil` for defaults only.
    /// - Throws: ``ConfigurationError``
    static func read(file: String?, environment: [String: String]) throws(ConfigurationError) -> Configuration {
        let name = file ?? "(defaults)"
        let problems = ConfigurationProblems(file: name)
        let node: YAMLNode?
        do throws(YAMLError) {
            node = try file.map { (path) throws(YAMLError) in try YAML.parse(try load(path)) } ?? nil
        } catch {
            throw ConfigurationError(lines: ["\(name):\(error.line): \(error.message)"])
        }
        let reader = ConfigurationReader(
            root: ConfigurationSection(node, path: "", problems: problems),
            problems: problems,
            environment: environment,
            file: file
        )
        let configuration = reader.configuration()
        guard problems.lines.isEmpty, let configuration else { throw ConfigurationError(lines: problems.lines) }
        return configuration
    }

    private static func load(_ path: String) throws(YAMLError) -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw YAMLError(line: 0, message: "can't be read")
        }
        return [UInt8](data)
    }

    private func configuration() -> Configuration? {
        checkEnvironment()
        let origin = publicOrigin()
        let listen = root.section("listen")
        var configuration = Configuration(
            file: file,
            publicOrigin: origin,
            relyingPartyID: relyingPartyID(for: origin),
            listenPublic: address(listen, "public", "127.0.0.1:9091"),
            listenCheck: address(listen, "check", "127.0.0.1:9092"),
            listenOperations: address(listen, "operations", "127.0.0.1:9093")
        )
        listen.finish()
        readNames(into: &configuration)
        readProviders(into: &configuration)
        readTimes(into: &configuration)
        readProtection(into: &configuration)
        readAccess(into: &configuration)
        root.finish()
        ConfigurationRules.check(configuration, problems)
        return configuration
    }

    private func address(_ section: ConfigurationSection, _ key: String, _ fallback: String) -> ListenAddress {
        section.value(key, "an address and port, or unix: and a path", ListenAddress.init)
            ?? ListenAddress(fallback) ?? .unix(path: "")
    }

    // MARK: Who we are

    private func publicOrigin() -> WebOrigin {
        let local = WebOrigin(scheme: .http, host: "localhost", port: 9091)
        let stated = root.value("public_url", "an https origin without a path, or http on localhost", PublicURL.parse)
        let passkey = environment["PASSKEY_ORIGIN"].flatMap { text -> WebOrigin? in
            guard let origin = WebOrigin(text), origin.scheme == .https, origin.description == text else {
                problems.add(
                    nil,
                    "PASSKEY_ORIGIN",
                    "must be exactly an https origin: no path, no query, no slash at the end"
                )
                return nil
            }
            return origin
        }
        if let stated, let passkey, stated != passkey {
            problems.add(nil, "PASSKEY_ORIGIN", "differs from public_url, which is \(stated); set one of them")
        }
        return stated ?? passkey ?? local
    }

    private func relyingPartyID(for origin: WebOrigin) -> String {
        let section = root.section("passkeys")
        defer { section.finish() }
        let stated = environment["PASSKEY_RP_ID"] ?? section.text("rp_id")
        guard let stated else { return origin.host }
        guard HostName.normalized(stated) == stated, !stated.hasPrefix("[") else {
            problems.add(section.line, "passkeys.rp_id", "must be a host name in lower case, without scheme and port")
            return origin.host
        }
        return stated
    }

    private func readNames(into configuration: inout Configuration) {
        let stated = root.value("name", "1 to 64 characters") { AccountProfile.isShowable($0, in: 1...64) ? $0 : nil }
        let named = environment["PASSKEY_RP_NAME"]
        if let named, !AccountProfile.isShowable(named, in: 1...64) {
            problems.add(nil, "PASSKEY_RP_NAME", "must be 1 to 64 characters that can be shown")
        }
        configuration.name = named ?? stated ?? configuration.name
        configuration.relatedOrigins = root.list("related_origins", "an https origin", PublicURL.parse) ?? []
        configuration.corsOrigins = root.list("cors_origins", "an https origin", PublicURL.parse) ?? []
        let storage = root.section("storage")
        let sqlite = storage.section("sqlite")
        configuration.databasePath = sqlite.text("path") ?? configuration.databasePath
        sqlite.finish()
        storage.finish()
        configuration.apps = AppsReader(environment: environment, problems: problems).read(root.section("apps"))
    }

    // MARK: Environment

    /// Variables with our prefixes that nobody reads are mistakes.
    private func checkEnvironment() {
        let known: Set = [
            "PASSKEY_RP_ID", "PASSKEY_ORIGIN", "PASSKEY_RP_NAME", "PASSKEY_CHALLENGE_TTL_MS", "GATEHOUSE_CONFIG",
        ]
        for name in environment.keys.sorted() where name.hasPrefix("PASSKEY_") || name.hasPrefix("GATEHOUSE_") {
            if !known.contains(name) { problems.add(nil, name, "unknown environment variable") }
        }
    }

    private func challengeLifetime() -> Timestamp.Span? {
        guard let text = environment["PASSKEY_CHALLENGE_TTL_MS"] else { return nil }
        guard let milliseconds = Int64(text), (1_000...86_400_000).contains(milliseconds) else {
            problems.add(nil, "PASSKEY_CHALLENGE_TTL_MS", "must be a number of milliseconds from 1000 to 86400000")
            return nil
        }
        return Timestamp.Span(milliseconds: milliseconds)
    }

    // MARK: How people sign in

    private func readProviders(into configuration: inout Configuration) {
        let providers = root.section("providers")
        configuration.kinds = ProviderList.kinds.filter { kind in
            let section = providers.section(kind.description)
            defer { section.finish() }
            readProvider(kind, section, into: &configuration)
            return section.flag("enabled", default: true)
        }
        if configuration.kinds.isEmpty {
            problems.add(providers.line, "providers", "at least one must be enabled")
        }
        providers.finish()
        let accounts = root.section("accounts")
        let isLocal =
            configuration.publicOrigin.isLocalhost && configuration.relyingPartyID == "localhost"
            && configuration.listenPublic.isLoopback
        let signup: Signup = accounts.choice("signup", default: isLocal ? .open : .closed)
        configuration.isSignupOpen = signup == .open
        accounts.finish()
    }

    private enum Signup: String, CaseIterable { case open, closed }
    private enum Verification: String, CaseIterable { case preferred, required }

    private func readProvider(
        _ kind: CredentialKind,
        _ section: ConfigurationSection,
        into configuration: inout Configuration
    ) {
        switch kind {
        case .passkey:
            let verification: Verification = section.choice("user_verification", default: .preferred)
            configuration.userVerificationRequired = verification == .required
            configuration.attestation = AttestationSettings.read(section)
        case .password:
            configuration.passwordPolicy = PasswordPolicy(
                minimumLength: section.integer("minimum_length", in: 8...64, default: 15)
            )
        case .trustedDevice:
            let apps = section.texts("apps")
            configuration.deviceApps = apps.isEmpty ? nil : apps
        default: break
        }
    }

    // MARK: How long things last

    private static let year = Timestamp.Span.days(365)

    private func readTimes(into configuration: inout Configuration) {
        let ceremonies = root.section("ceremonies")
        let lifetime = ceremonies.duration("lifetime", in: .seconds(1)...(.hours(1)), default: .minutes(5))
        let autofill = ceremonies.duration("autofill_lifetime", in: .seconds(1)...(.days(1)), default: .minutes(30))
        let stated = challengeLifetime()
        configuration.ceremonies = CeremonyService.Limits(
            lifetime: stated ?? lifetime,
            autofillLifetime: max(autofill, stated ?? autofill),
            attempts: Int64(ceremonies.integer("max_attempts", in: 1...100, default: 5))
        )
        ceremonies.finish()
        readSessions(into: &configuration)
    }

    private func readSessions(into configuration: inout Configuration) {
        let sessions = root.section("sessions")
        let fallback = lifetime(sessions, default: SessionPolicy().defaultLifetime)
        let byKind = sessions.section("lifetimes")
        var lifetimes: [CredentialKind: SessionPolicy.Lifetime] = [:]
        for kind in ProviderList.kinds where byKind.has(kind.description) {
            let section = byKind.section(kind.description)
            lifetimes[kind] = lifetime(section, default: fallback)
            section.finish()
        }
        byKind.finish()
        let cookie = sessions.section("cookie")
        configuration.cookieDomain = cookie.text("domain")
        cookie.finish()
        sessions.finish()
        let policy = root.section("policy")
        configuration.session = SessionPolicy(
            fresh: policy.duration("fresh", in: .seconds(30)...(.hours(24)), default: .minutes(10)),
            settling: policy.duration("settling", in: .seconds(0)...(.days(30)), default: .hours(24)),
            lifetimes: lifetimes,
            defaultLifetime: fallback
        )
        policy.finish()
    }

    private func lifetime(
        _ section: ConfigurationSection,
        default fallback: SessionPolicy.Lifetime
    ) -> SessionPolicy.Lifetime {
        let absolute = section.duration("absolute", in: .seconds(1)...Self.year, default: fallback.absolute)
        let idle = section.duration("idle", in: .seconds(1)...Self.year, default: min(fallback.idle, absolute))
        if idle > absolute { section.problem(nil, "idle", "must not be longer than absolute") }
        return SessionPolicy.Lifetime(absolute: absolute, idle: idle)
    }

    // MARK: Protection

    private func readProtection(into configuration: inout Configuration) {
        let hashing = root.section("hashing")
        configuration.hashCost = HashCost(
            memoryKiB: UInt32(hashing.integer("memory_kib", in: 64...262_144, default: 19_456)),
            passes: UInt32(hashing.integer("passes", in: 1...10, default: 2)),
            lanes: UInt32(hashing.integer("lanes", in: 1...4, default: 1))
        )
        configuration.hashingBudgetMiB = hashing.integer("memory_budget_mib", in: 1...65_536, default: 256)
        hashing.finish()
        let throttle = root.section("throttle")
        configuration.throttle = ThrottlePolicy(
            freeFailures: Int64(throttle.integer("free_failures", in: 1...1_000_000, default: 5)),
            longestWait: throttle.duration("longest_wait", in: .seconds(1)...(.days(1)), default: .minutes(15))
        )
        configuration.attemptsPerMinute = throttle.integer("per_address_per_minute", in: 1...10_000_000, default: 120)
        throttle.finish()
        let migration = root.section("migration")
        configuration.migration = MigrationPolicy(offer: migration.choice("offer", default: .prompt))
        migration.finish()
    }

    private func readAccess(into configuration: inout Configuration) {
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
            configuration.rules = sections.compactMap { AccessRuleReader.read($0) }
        } else if let host = HostPattern(configuration.publicOrigin.host) {
            configuration.rules = [AccessRule(host: host, decision: .require(Requirement()))]
        }
        access.finish()
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
