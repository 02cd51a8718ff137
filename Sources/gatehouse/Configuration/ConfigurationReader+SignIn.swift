import GatehouseCore
import GatehouseKit
import HTTPFront
import PasswordProvider
import RecoveryCodesProvider
import Wire

/// How people sign in, and how long things last.
extension ConfigurationReader {
    func readProviders(into configuration: inout Configuration) {
        let providers = root.section("providers")
        configuration.kinds = ProviderList.kinds.filter { kind in
            let section = providers.section(kind.description)
            defer { section.finish() }
            let isEnabled = section.flag("enabled", default: kind != .apple)
            readProvider(kind, section, isEnabled: isEnabled, into: &configuration)
            return isEnabled
        }
        readIssuers(providers, into: &configuration)
        if configuration.kinds.allSatisfy({ $0 == .recoveryCode }) {
            problems.add(providers.line, "providers", "at least one that signs people in must be enabled")
        }
        providers.finish()
        let accounts = root.section("accounts")
        let isLocal =
            configuration.publicOrigin.isLocalhost && configuration.relyingPartyID == "localhost"
            && configuration.listenPublic.isLoopback
        let signup: Signup = accounts.choice("signup", default: isLocal ? .open : .closed)
        configuration.isSignupOpen = signup == .open
        accounts.finish()
        let native = root.section("native_api")
        configuration.servesApps = native.flag("enabled", default: true)
        native.finish()
    }

    private enum Signup: String, CaseIterable { case open, closed }
    private enum Verification: String, CaseIterable { case preferred, required }

    private func readProvider(
        _ kind: CredentialKind,
        _ section: ConfigurationSection,
        isEnabled: Bool,
        into configuration: inout Configuration
    ) {
        switch kind {
        case .passkey:
            let verification: Verification = section.choice("user_verification", default: .preferred)
            configuration.userVerificationRequired = verification == .required
            configuration.passkeys = PasskeySettings.read(section)
            configuration.attestation = AttestationSettings.read(section)
        case .password:
            configuration.passwords = PasswordSettings.read(section)
        case .trustedDevice:
            configuration.devices = DeviceSettings.read(section)
        case .apple:
            let apple = IssuerSettings.readApple(section, isEnabled: isEnabled, environment: environment)
            if isEnabled { configuration.issuers.append(apple) }
        case .recoveryCode:
            configuration.recoveryCodeCount = section.integer("count", in: 1...100, default: 10)
        default: break
        }
    }

    /// OpenID Connect issuers are switched on by being there.
    private func readIssuers(_ providers: ConfigurationSection, into configuration: inout Configuration) {
        for section in providers.sections("oidc") ?? [] {
            let settings = IssuerSettings.readIssuer(section)
            if settings.kind.isIssuer, configuration.kinds.contains(settings.kind) {
                section.problem(nil, "name", "belongs to another issuer too")
            }
            configuration.issuers.append(settings)
            configuration.kinds.append(settings.kind)
        }
    }

    // MARK: How long things last

    func readTimes(into configuration: inout Configuration) {
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
        SessionSettings.read(root, into: &configuration)
    }
}
