import GatehouseCore
import GatehouseKit
import HTTPFront
import PasswordProvider
import WebClient
import Wire

/// Everything that an operator decides, checked.
struct Configuration {
    /// Whether a file said so, or all of it is defaults.
    var file: String?
    /// What the file says, for telling what changed since.
    var stated: [String: String] = [:]
    var name = "Gatehouse"
    var publicOrigin: WebOrigin
    var relyingPartyID: String
    /// Every address of the portal, the public origin first; never empty once read.
    var portals: [PortalSettings] = []
    /// Sites, besides those of the portal, whose pages may use the passkeys.
    var relatedOrigins: [WebOrigin] = []
    /// Those whose pages may use the passkeys.
    var passkeyOrigins: [WebOrigin] {
        let own = portals.map(\.origin)
        return own + relatedOrigins.filter { !own.contains($0) }
    }
    var corsOrigins: [WebOrigin] = []
    var apps = WellKnownDocuments.Apps()

    var listenPublic: ListenAddress
    var listenCheck: ListenAddress
    var listenOperations: ListenAddress
    var databasePath = "gatehouse.sqlite3"

    var isSignupOpen = false
    var servesApps = true
    var kinds: [CredentialKind] = []
    var userVerificationRequired = false
    var passkeys = PasskeySettings()
    var attestation = AttestationSettings()
    var passwords = PasswordSettings()
    var devices = DeviceSettings()
    var recoveryCodeCount = 10
    /// Of ID tokens: Apple where that is enabled, and those that OpenID Connect names.
    var issuers: [IssuerSettings] = []
    /// Every kind that opens a whole session, enabled or not: rules and lifetimes can be about these.
    var signInKinds: [CredentialKind] { ProviderList.signInKinds + issuers.map(\.kind).filter(\.isIssuer) }
    var hashCost = HashCost()
    var hashingBudgetMiB = 256
    var peppers: [Pepper] = []
    var hasher: PasswordHasher {
        PasswordHasher(cost: hashCost, budget: HashingBudget(size: hashingBudgetMiB << 20), peppers: peppers)
    }

    var ceremonies = CeremonyService.Limits()
    var session = SessionPolicy()
    var throttle = ThrottlePolicy()
    var attemptsPerMinute = 120
    var migration = MigrationPolicy()

    /// A PEM file of the authorities that hosts we call have to lead to; `nil` for those of the system.
    var outgoingAuthorities: String?
    var client: WebClient { WebClient(authorities: outgoingAuthorities) }

    /// How often the keys of `Remote-Token` change; `nil` where applications get none.
    var identityKeyRotation: Timestamp.Span?
    var machines = MachineSettings()
    var trustedProxies = TrustedProxies(networks: [], unixSocket: false)
    var rules: [AccessRule] = []
}
