public import GatehouseKit

/// An app that may enrol devices, and what it has to show of itself.
public struct DeviceApp: Equatable, Sendable {
    /// The bundle identifier or package name.
    public let id: String
    /// `nil` for any.
    public let platform: Platform?
    public let attestation: Demand

    public init(id: String, platform: Platform? = nil, attestation: Demand = .notWanted) {
        self.id = id
        self.platform = platform
        self.attestation = attestation
    }

    public enum Platform: String, CaseIterable, Sendable {
        case ios
        case android
    }

    /// What an attestation has to be of.
    public enum Identity: Equatable, Sendable {
        /// An app of this team; `isDevelopment` for those that Xcode signed (App Attest's sandbox).
        case apple(teamID: String, isDevelopment: Bool)
        /// An app that was signed with one of these certificates: SHA-256, 32 bytes each.
        case android(certificates: [[UInt8]])
    }

    public enum Demand: Equatable, Sendable {
        /// What comes along is not looked at, and worth nothing.
        case notWanted
        /// What comes along has to be sound.
        case optional(Identity)
        /// Something sound has to come along.
        case required(Identity)

        var identity: Identity? {
            switch self {
            case .notWanted: nil
            case .optional(let identity), .required(let identity): identity
            }
        }
    }
}

/// How a device asks its user before it uses the key, where that is attested.
public enum UnlockPolicy: String, CaseIterable, Codable, Sendable {
    /// A fingerprint or a face, each time.
    case biometric
    /// One of these or the code of the device, each time.
    case biometricOrPasscode = "biometric-or-passcode"

    /// What an app calls it.
    init?(stated: String) {
        switch stated {
        case "biometry_current_set", "biometry_any": self = .biometric
        case "biometry_or_device_passcode": self = .biometricOrPasscode
        default: return nil
        }
    }
}

/// What is asked of devices, and what they are worth.
public struct TrustedDevicePolicy: Sendable {
    /// The apps that may enrol; `nil` for any, without attestation.
    public let apps: [DeviceApp]?
    public let trust: DeviceTrust
    /// The attested ways of asking the user that make two factors of a signature.
    public let secondFactors: Set<UnlockPolicy>
    /// How long an unused device is remembered.
    public let idleLimit: Timestamp.Span
    /// How many an account may have.
    public let quota: Int

    public init(
        apps: [DeviceApp]? = nil,
        trust: DeviceTrust = DeviceTrust(),
        secondFactors: Set<UnlockPolicy> = [.biometric],
        idleLimit: Timestamp.Span = .days(90),
        quota: Int = 10
    ) {
        self.apps = apps
        self.trust = trust
        self.secondFactors = secondFactors
        self.idleLimit = idleLimit
        self.quota = quota
    }

    /// - Throws: ``Refusal`` with `app_not_allowed` for one that isn't listed.
    func app(_ id: String, on platform: String) throws(Refusal) -> DeviceApp {
        guard let apps else { return DeviceApp(id: id) }
        let found = apps.first { $0.id == id && ($0.platform.map { $0.rawValue == platform } ?? true) }
        guard let found else { throw Refusal(.appNotAllowed, "the app may not enrol devices") }
        return found
    }
}
