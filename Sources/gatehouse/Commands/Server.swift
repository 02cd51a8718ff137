import Dispatch
import GatehouseCore
import GatehouseKit
import Glibc
import HTTPFront
import Storage
import Synchronization
import WebClient

/// The gateway while it serves: three listeners over one composition.
struct Server {
    private static let stopLimit = Swift.Duration.seconds(10)

    private let composition: Composition
    private let listeners: [(name: String, server: HTTPServer)]
    private let housekeeper: Housekeeper
    private let log: Log
    let reload: RuleReload

    init(_ configuration: Configuration, acceptsRPIDChange: Bool) throws(CommandFailure) {
        let log = Log { writeError(SystemClock().now.rfc3339 + " " + $0) }
        let box = CacheBox()
        let composition = try Composition(configuration, role: .gateway { box.flush() }, log: log)
        box.set(composition.services.sessions.cache)
        try composition.checkRelyingPartyID(accepts: acceptsRPIDChange)
        listeners = try Self.listen(composition)
        housekeeper = Housekeeper(composition.services, log)
        for keeper in composition.keepers { spawn { keeper.run() } }
        for issuer in composition.issuers { spawn { issuer.run() } }
        spawn { composition.remnants.run() }
        reload = RuleReload(running: configuration, access: composition.access, log: log)
        self.composition = composition
        self.log = log
    }

    private static func listen(_ composition: Composition) throws(CommandFailure) -> [(
        name: String, server: HTTPServer
    )] {
        let configuration = composition.configuration
        let metrics = Metrics()
        let check = composition.access
        let settings = configuration.front(check)
        let services = composition.services
        var limits = HTTPLimits()
        limits.proxies = configuration.trustedProxies.networks
        let identities = try signer(composition)
        let documents = WellKnownDocuments(
            apps: configuration.apps,
            passkeyOrigins: configuration.passkeyOrigins,
            publishedKeys: { [clock = composition.clock] () throws(ProviderFault) in
                try identities?.publishedKeys(at: clock.now) ?? []
            }
        )
        return [
            (
                "check",
                try listen(
                    configuration.listenCheck,
                    CheckResponder(
                        settings: settings,
                        services: services,
                        check: check,
                        metrics: metrics,
                        identities: identities
                    ),
                    limits: limits
                )
            ),
            (
                "operations",
                try listen(
                    configuration.listenOperations,
                    OperationsResponder(services: services, metrics: metrics),
                    limits: limits,
                    threads: 1
                )
            ),
            (
                "public",
                try listen(
                    configuration.listenPublic,
                    PublicListener(
                        settings: settings,
                        services: services,
                        access: check,
                        documents: documents,
                        metrics: metrics
                    ),
                    limits: limits
                )
            ),
        ]
    }

    /// Signs identities for applications, where they get any.
    private static func signer(_ composition: Composition) throws(CommandFailure) -> IdentitySigner? {
        guard let rotation = composition.configuration.identityKeyRotation else { return nil }
        let issuer = "\(composition.configuration.publicOrigin)"
        do throws(ProviderFault) {
            return try IdentitySigner(issuer: issuer, rotation: rotation, at: composition.clock.now)
        } catch { throw CommandFailure(.software, "no keys can be made (\(error.operation), code \(error.code))") }
    }

    private static func listen(
        _ address: ListenAddress,
        _ responder: some HTTPResponder,
        limits: HTTPLimits,
        threads: Int = Composition.cores
    ) throws(CommandFailure) -> HTTPServer {
        do throws(HTTPServerError) {
            return try HTTPServer(listeningOn: address, limits: limits, threads: threads, responder: responder)
        } catch {
            switch error {
            case .addressInUse(let address):
                throw CommandFailure(
                    .unavailable,
                    "\(address) is in use; stop what listens there, or change listen: in the configuration"
                )
            case .cannotListen(let address, let code):
                throw CommandFailure(
                    .unavailable,
                    "can't listen on \(address): \(unsafe String(cString: strerror(code)))"
                )
            case .cannotStart: throw CommandFailure(.software, "the HTTP server can't be started")
            }
        }
    }

    /// Says where it listens, for people and for whoever waits for it.
    func announce() {
        let configuration = composition.configuration
        if configuration.file == nil {
            print("No configuration file: running on localhost, data in \(configuration.databasePath).")
        }
        for listener in listeners { print("\(listener.name) \(listener.server.boundAddress)") }
        print("Gatehouse is ready at \(configuration.publicOrigin)/")
        if let link = (try? composition.services.links.issueSetup()) ?? nil {
            print(
                "Set up the first administrator, once, within 24 hours: \(configuration.publicOrigin)/setup#\(link.text)"
            )
        }
        fflush(nil)
    }

    /// Finishes what is under way, keeps what is known, and lets go of the file.
    func stop() {
        log(.notice, "stopping")
        for listener in listeners { listener.server.quiesce() }
        for listener in listeners { listener.server.stop(within: Self.stopLimit) }
        housekeeper.stop()
        for keeper in composition.keepers { keeper.stop() }
        for issuer in composition.issuers { issuer.stop() }
        composition.remnants.stop()
        composition.storage.stop()
        log(.notice, "stopped")
    }
}

extension Configuration {
    func front(_ access: AccessCheck) -> FrontSettings {
        FrontSettings(
            portals: portalAddresses,
            offersToRemember: session.lifetimes.remembered != nil,
            trustedProxies: trustedProxies,
            isCovered: { access.rules.covers($0) },
            name: name,
            attemptsPerMinute: attemptsPerMinute,
            servesApps: servesApps
        )
    }
}

/// Where the storage finds the cache that it must flush; they know each other only once both exist.
private final class CacheBox: Sendable {
    private let cache = Mutex<SessionCache?>(nil)

    func set(_ cache: SessionCache) { self.cache.withLock { $0 = cache } }
    func flush() { cache.withLock { $0 }?.removeAll() }
}

/// Stores times of last use every few seconds, and once more at the end.
private final class Housekeeper: Sendable {
    private static let interval = DispatchTimeInterval.seconds(5)

    private let stopping = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    init(_ services: Services, _ log: Log) {
        spawn { [self] in
            while stopping.wait(timeout: .now() + Self.interval) == .timedOut { Self.flush(services, log) }
            Self.flush(services, log)
            stopped.signal()
        }
    }

    func stop() {
        stopping.signal()
        stopped.wait()
    }

    private static func flush(_ services: Services, _ log: Log) {
        do throws(SignInError) {
            try services.sessions.flush()
            try services.machines.tokens.flush()
        } catch {
            log(.error, "times of last use could not be stored")
        }
    }
}
