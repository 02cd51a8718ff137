import Crypto
import GatehouseCore
import GatehouseKit
import Glibc
import HTTPFront
import PasskeyProvider
import PasswordProvider
import Storage
import TrustedDeviceProvider
import WebClient

/// What is known from documents that others publish.
struct Documents {
    let metadata: PublishedMetadata?
    let androidStatus: AndroidKeyStatus?
    let kept: [(document: any PublishedDocument, source: PublishedSource)]

    init(_ configuration: Configuration) {
        var kept: [(document: any PublishedDocument, source: PublishedSource)] = []
        metadata = configuration.attestation.metadata?.document()
        if let metadata, let settings = configuration.attestation.metadata { kept.append((metadata, settings.source)) }
        androidStatus = configuration.devices.status.map { _ in AndroidKeyStatus() }
        if let androidStatus, let source = configuration.devices.status { kept.append((androidStatus, source)) }
        self.kept = kept
    }
}

/// Puts the parts together, the same for serving and for commands.
struct Composition {
    let configuration: Configuration
    let storage: SQLiteStorage
    let services: Services
    let accounts: AccountService
    /// One for each document that others publish and that the configuration names.
    let keepers: [DocumentKeeper]
    let issuers: [KeptIssuer]
    let access: AccessCheck
    let remnants: RemnantService
    let migration: MigrationService
    let clock = SystemClock()

    /// - Throws: ``CommandFailure`` that says what to do.
    init(_ configuration: Configuration, role: SQLiteStorage.Role, log: Log) throws(CommandFailure) {
        self.configuration = configuration
        storage = try Self.open(configuration, role, clock)
        accounts = AccountService(storage: storage, clock: clock)
        let documents = Documents(configuration)
        keepers = documents.kept.map { [clock] in
            DocumentKeeper($0.document, from: $0.source, client: configuration.client, clock: clock, log: log)
        }
        access = AccessCheck(rules: AccessRules(configuration.rules), policy: configuration.session)
        issuers = configuration.issuers.map { [clock] in KeptIssuer($0, configuration, clock: clock, log: log) }
        do {
            services = try Self.services(configuration, storage, documents, issuers, access, clock, log)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.software, "the providers can't be set up: \(error)")
        }
        migration = MigrationService(
            storage: storage,
            registry: services.registry,
            engine: MigrationEngine(configuration.migration),
            clock: clock
        )
        remnants = RemnantService(storage: storage, registry: services.registry, clock: clock, log: log)
    }

    private static func open(
        _ configuration: Configuration,
        _ role: SQLiteStorage.Role,
        _ clock: any Clock
    ) throws(CommandFailure) -> SQLiteStorage {
        let path = configuration.databasePath
        do throws(StorageOpenError) {
            return try SQLiteStorage(path: path, role: role, clock: clock)
        } catch {
            switch error {
            case .inUse: throw CommandFailure(.unavailable, "\(path) is in use by another gateway; stop that one first")
            case .foreign: throw CommandFailure(.noInput, "\(path) belongs to another application; name another file")
            case .newer(let schema, let supported):
                throw CommandFailure(
                    .noInput,
                    "\(path) has schema \(schema), and this version knows up to \(supported); use the newer version"
                )
            case .unreadable(let fault):
                throw CommandFailure(
                    .noInput,
                    "\(path) can't be opened (SQLite code \(fault.code)); check that its folder exists and is writable, "
                        + "or restore the file from a backup"
                )
            }
        }
    }

    private static func services(
        _ configuration: Configuration,
        _ storage: any Storage,
        _ documents: Documents,
        _ issuers: [KeptIssuer],
        _ access: AccessCheck,
        _ clock: any Clock,
        _ log: Log
    ) throws -> Services {
        let environment = ProviderEnvironment(
            configuration: configuration,
            storage: storage,
            decoyKey: try decoyKey(in: storage),
            documents: documents,
            issuers: issuers,
            clock: clock,
            log: log
        )
        let registry = try ProviderList.make(environment)
        let policy = configuration.session
        let ceremonies = CeremonyService(limits: configuration.ceremonies)
        let sessions = SessionService(storage: storage, policy: policy, clock: clock)
        let migration = MigrationEngine(configuration.migration)
        let enrollment = EnrollmentService(
            storage: storage,
            registry: registry,
            policy: policy,
            ceremonies: ceremonies,
            sessions: sessions,
            isSignupOpen: configuration.isSignupOpen,
            migration: migration,
            clock: clock
        )
        let offers = OfferService(
            storage: storage,
            enrollment: enrollment,
            migration: migration,
            devices: configuration.devices.offers,
            clock: clock,
            log: log
        )
        let lanes = WorkerLanes(cores: cores, hashes: hashes(configuration))
        return Services(
            storage: storage,
            signIn: SignInService(
                storage: storage,
                registry: registry,
                policy: policy,
                ceremonies: ceremonies,
                sessions: sessions,
                offers: offers,
                throttle: configuration.throttle,
                migration: migration,
                clock: clock
            ),
            enrollment: enrollment,
            credentials: CredentialService(
                storage: storage,
                registry: registry,
                enrollment: enrollment,
                sessions: sessions,
                throttle: configuration.throttle,
                clock: clock
            ),
            sessions: sessions,
            machines: MachineService(
                tokens: AccessTokenService(
                    storage: storage,
                    enrollment: enrollment,
                    sessions: sessions,
                    access: access,
                    limits: configuration.machines.tokens,
                    clock: clock
                ),
                basic: BasicSignIn(
                    storage: storage,
                    registry: registry,
                    throttle: configuration.throttle,
                    lanes: lanes,
                    memory: configuration.machines.basicMemory,
                    clock: clock
                ),
                bearers: BearerTokens(storage: storage, registry: registry, lanes: lanes)
            ),
            offers: offers,
            links: LinkService(
                storage: storage,
                policy: policy,
                sessions: sessions,
                migration: migration,
                clock: clock
            ),
            notices: NoticeService(storage: storage, registry: registry, sessions: sessions, clock: clock),
            registry: registry,
            lanes: lanes,
            clock: clock,
            log: log
        )
    }

    static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private static func hashes(_ configuration: Configuration) -> Int {
        configuration.hashingBudgetMiB * 1_024 / Int(configuration.hashCost.memoryKiB)
    }

    /// The key of decoys, made at the first start.
    private static func decoyKey(in storage: any Storage) throws -> [UInt8] {
        try storage.write { writer in
            _ = try writer.insert(Random.bytes(32), for: .decoyKey)
            guard let key = try writer.setting(.decoyKey) else { throw ProviderFault("read the decoy key", code: 0) }
            return key
        }
    }
}

extension Composition {
    /// Refuses to serve passkeys of another RP ID: none of them would work.
    ///
    /// - Parameter accepts: Whether the operator knows, and wants to go on all the same.
    func checkRelyingPartyID(accepts: Bool) throws(CommandFailure) {
        let id = configuration.relyingPartyID
        let former: String?
        do throws(SignInError) {
            former = try storage.write { writer in
                let stored = try writer.setting(.relyingPartyID).map { String(decoding: $0, as: UTF8.self) }
                let isKept = try stored.map { try $0 != id && writer.hasCredentials(of: .passkey) && !accepts } ?? false
                if !isKept { try writer.replace(Array(id.utf8), for: .relyingPartyID) }
                return isKept ? stored : nil
            }
        } catch { throw CommandFailure(error) }
        guard let former else { return }
        throw CommandFailure(
            .config,
            "the stored passkeys belong to the RP ID \(former), and the configuration says \(id): nobody could use them. "
                + "Set passkeys.rp_id back to \(former), or start with --accept-rp-id-change to lose them"
        )
    }
}
