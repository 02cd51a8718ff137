import Crypto
import GatehouseCore
import GatehouseKit
import TrustedDeviceProvider
import WebAuthn
import WebClient
import Wire

/// Which apps may enrol devices, and what devices are worth.
struct DeviceSettings {
    private var apps: [DeviceApp] = []
    private var secondFactors: Set<UnlockPolicy> = [.biometric]
    private var idleLimit = Timestamp.Span.days(90)
    private var quota = 10
    private var androidRoots = PlatformRoots.google
    private var appleRoots = PlatformRoots.apple
    /// Where the list of revoked Android keys comes from; `nil` where nobody asks.
    private(set) var status: PublishedSource?
    private(set) var offers = DeviceOffers()

    /// Whether a device could come to count as attested and unlocked by its user.
    var canTrust: Bool { !secondFactors.isEmpty && apps.contains(where: Self.isAttestedByAndroid) }

    /// - Parameter status: What is known of revoked keys, where anybody asks.
    func policy(_ status: AndroidKeyStatus?) -> TrustedDevicePolicy {
        TrustedDevicePolicy(
            apps: apps.isEmpty ? nil : apps,
            trust: DeviceTrust(androidRoots: androidRoots, androidStatus: status, appleRoots: appleRoots),
            secondFactors: secondFactors,
            idleLimit: idleLimit,
            quota: quota
        )
    }

    private static func isAttestedByAndroid(_ app: DeviceApp) -> Bool {
        app.platform == .android && app.attestation != .notWanted
    }
}

extension DeviceSettings {
    /// - Parameter section: That of the provider.
    static func read(_ section: ConfigurationSection) -> DeviceSettings {
        var settings = DeviceSettings()
        settings.apps = DeviceAppReader.read(section)
        let names = UnlockPolicy.allCases.map(\.rawValue).joined(separator: ", ")
        let factors = section.list("second_factor", "one of \(names)") { UnlockPolicy(rawValue: $0) }
        settings.secondFactors = factors.map(Set.init) ?? settings.secondFactors
        settings.idleLimit = section.duration("idle", in: .seconds(1)...(.days(3_650)), default: settings.idleLimit)
        settings.quota = section.integer("quota", in: 1...100, default: settings.quota)
        settings.readAndroid(section.section("android"))
        let apple = section.section("apple")
        settings.appleRoots = roots(apple) ?? settings.appleRoots
        apple.finish()
        let offer = section.section("offer")
        settings.offers = DeviceOffers(
            afterSignIn: offer.flag("after_sign_in", default: true),
            afterSignUp: offer.flag("after_sign_up", default: true)
        )
        offer.finish()
        return settings
    }

    private mutating func readAndroid(_ section: ConfigurationSection) {
        defer { section.finish() }
        androidRoots = Self.roots(section) ?? androidRoots
        let isAsked = section.flag("check_status", default: true)
        let status = section.section("status")
        let source = PublishedSource.read(status)
        status.finish()
        guard isAsked else {
            if source != nil { section.problem(nil, "status", "has no effect where check_status is false") }
            return
        }
        self.status = source
        guard source == nil, apps.contains(where: Self.isAttestedByAndroid) else { return }
        let reason = "must say where the list of revoked keys is kept; without check_status: false it is needed"
        section.problem(nil, "status.file", reason)
    }

    /// - Returns: `nil` for those of the maker.
    private static func roots(_ section: ConfigurationSection) -> [Certificate]? {
        let roots = section.list("roots", "a PEM file of certificates", PEMFile.certificates)?.flatMap(\.self) ?? []
        return roots.isEmpty ? nil : roots
    }
}

/// Reads the list of apps, each an identifier or a mapping.
private enum DeviceAppReader {
    static func read(_ section: ConfigurationSection) -> [DeviceApp] {
        guard let node = section.take("apps") else { return [] }
        guard case .sequence(let items, _) = node else {
            section.problem(node, "apps", "must be a list")
            return []
        }
        var apps: [DeviceApp] = []
        for (index, item) in items.enumerated() {
            guard let app = read(item, at: index, section) else { continue }
            if apps.contains(where: { overlap($0, app) }) {
                section.problem(item, "apps", "an app stands here once for each platform, or once for all")
            }
            apps.append(app)
        }
        return apps
    }

    private static func overlap(_ one: DeviceApp, _ other: DeviceApp) -> Bool {
        one.id == other.id && (one.platform == nil || other.platform == nil || one.platform == other.platform)
    }

    private static func read(_ item: YAMLNode, at index: Int, _ section: ConfigurationSection) -> DeviceApp? {
        if case .scalar(let id, _, _) = item, !id.isEmpty { return DeviceApp(id: id) }
        let own = ConfigurationSection(item, path: "\(section.path).apps[\(index)]", problems: section.problems)
        defer { own.finish() }
        let platform: DeviceApp.Platform? = own.value("platform", "ios or android") { .init(rawValue: $0) }
        let demand: Demand = own.choice("attestation", default: .notWanted)
        let identity = identity(own, platform)
        guard let id = own.text("id") else {
            own.problem(nil, "id", "must be the identifier of an app, such as com.example.app")
            return nil
        }
        guard demand != .notWanted else { return DeviceApp(id: id, platform: platform) }
        guard let identity else {
            let reason = "needs platform: ios and a team_id, or platform: android and certificates"
            own.problem(nil, "attestation", reason)
            return nil
        }
        return DeviceApp(
            id: id,
            platform: platform,
            attestation: demand == .required ? .required(identity) : .optional(identity)
        )
    }

    private enum Demand: String, CaseIterable {
        case notWanted = "not-wanted"
        case optional
        case required
    }

    private enum Environment: String, CaseIterable { case production, development }

    private static func identity(
        _ section: ConfigurationSection,
        _ platform: DeviceApp.Platform?
    ) -> DeviceApp.Identity? {
        switch platform {
        case .ios:
            let team = section.value("team_id", "ten capital letters and digits") { AppsReader.isTeam($0) ? $0 : nil }
            let environment: Environment = section.choice("environment", default: .production)
            return team.map { .apple(teamID: $0, isDevelopment: environment == .development) }
        case .android:
            let digests = section.list("certificates", "32 hexadecimal bytes separated by colons") {
                AndroidOrigin(certificateFingerprint: $0)?.certificateHash.bytes
            }
            return digests.flatMap { $0.isEmpty ? nil : .android(certificates: $0) }
        case nil: return nil
        }
    }
}
