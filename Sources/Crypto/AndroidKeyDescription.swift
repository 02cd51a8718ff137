import Wire

/// What Android's keystore says of a key in the certificate that attests to it.
///
/// source.android.com/docs/security/features/keystore/attestation, "Attestation extension data schema", read 2026-11.
public struct AndroidKeyDescription: Sendable {
    /// Where it stands in a certificate.
    public static let extensionType: OID = "1.3.6.1.4.1.11129.2.1.17"

    /// What keeps the key that signed the certificate, and what keeps the key itself; `nil` for a level not known here.
    public let attestationLevel: SecurityLevel?
    public let keyLevel: SecurityLevel?
    public let challenge: [UInt8]
    /// What the system sees to, and what the hardware does.
    public let softwareEnforced: Authorizations
    public let hardwareEnforced: Authorizations

    public enum SecurityLevel: Int, Comparable, Sendable {
        case software
        case trustedEnvironment
        case strongBox

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// - Returns: `nil` if it isn't one.
    public init?(parsing value: [UInt8]) {
        do throws(WireFault) {
            var reader = DERReader(try DERElement(parsing: value).content(of: .sequence))
            _ = try reader.next(.integer)
            attestationLevel = try reader.next(.enumerated).smallNumber.flatMap(SecurityLevel.init)
            _ = try reader.next(.integer)
            keyLevel = try reader.next(.enumerated).smallNumber.flatMap(SecurityLevel.init)
            challenge = try reader.next(.octetString).content
            _ = try reader.next(.octetString)
            softwareEnforced = try Authorizations(parsing: try reader.next(.sequence))
            hardwareEnforced = try Authorizations(parsing: try reader.next(.sequence))
            try reader.finish()
        } catch { return nil }
    }
}

extension AndroidKeyDescription {
    /// The entries of an AuthorizationList that matter here, each at most once.
    public struct Authorizations: Sendable {
        /// `KM_ORIGIN_GENERATED` is 0.
        public let origin: Int?
        /// `KM_PURPOSE_SIGN` is 2.
        public let purposes: [Int]?
        private let entries: [DERElement]

        init(parsing list: DERElement) throws(WireFault) {
            var reader = list.elements
            var entries: [DERElement] = []
            while !reader.isAtEnd {
                let entry = try reader.next()
                guard !entries.contains(where: { $0.tag == entry.tag }), entries.count < Self.maximumCount else {
                    throw WireFault(.duplicateKey, at: reader.offset)
                }
                entries.append(entry)
            }
            self.entries = entries
            origin = try Self.value(702, in: entries).map { $0.smallNumber ?? .max }
            purposes = try Self.value(1, in: entries).map { (set) throws(WireFault) in try Self.numbers(set) }
        }

        /// Each is compared with those before it; the schema has some sixty.
        private static let maximumCount = 128

        private static func value(_ tag: UInt32, in entries: [DERElement]) throws(WireFault) -> DERElement? {
            guard let entry = entries.first(where: { $0.tag == .explicit(tag) }) else { return nil }
            return try DERElement(parsing: entry.content)
        }

        private static func numbers(_ set: DERElement) throws(WireFault) -> [Int] {
            var reader = DERReader(try set.content(of: .set))
            var numbers: [Int] = []
            while !reader.isAtEnd { numbers.append(try reader.next(.integer).smallNumber ?? .max) }
            return numbers
        }

        private func has(_ tag: UInt32) -> Bool { entries.contains { $0.tag == .explicit(tag) } }
    }
}

extension AndroidKeyDescription.Authorizations {
    public var isForAllApplications: Bool { has(600) }

    /// Whether the key works without anybody being asked.
    public var needsNoUser: Bool { has(503) }

    /// Whether being asked once is good for a while, or for as long as the device is carried.
    public var outlastsOneUse: Bool { has(505) || has(506) }

    /// How the user is asked (`HardwareAuthenticatorType`): a bit each; `nil` if it isn't said.
    public var userAuthentication: UserAuthentication? {
        guard let digits = try? Self.value(504, in: entries)?.unsignedInteger(), digits.count <= 4 else { return nil }
        return UserAuthentication(rawValue: digits.reduce(0) { $0 << 8 | UInt32($1) })
    }

    public struct UserAuthentication: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A PIN, a pattern or a password.
        public static let password = UserAuthentication(rawValue: 1)
        /// A fingerprint or a face of class 3.
        public static let biometric = UserAuthentication(rawValue: 2)
    }

    /// What the device started from; `nil` if it isn't said, or not in the form of the schema.
    public var rootOfTrust: RootOfTrust? { try? Self.value(704, in: entries).map(RootOfTrust.init) }

    public struct RootOfTrust: Equatable, Sendable {
        public let isLocked: Bool
        /// Whether the maker signed what was started: `verifiedBootState` 0.
        public let isVerified: Bool

        init(_ element: DERElement) throws(WireFault) {
            var reader = DERReader(try element.content(of: .sequence))
            _ = try reader.next(.octetString)
            isLocked = try reader.next(.boolean).boolean()
            isVerified = try reader.next(.enumerated).smallNumber == 0
            _ = try reader.optional(.octetString)
            try reader.finish()
        }
    }

    /// Whose key it is; `nil` if it isn't said, or not in the form of the schema.
    public var application: Application? {
        try? Self.value(709, in: entries).map { (value) throws(WireFault) in
            try Application(DERElement(parsing: try value.content(of: .octetString)))
        }
    }

    /// The packages that share a user ID, and the certificates that signed them (AttestationApplicationId).
    public struct Application: Equatable, Sendable {
        public let packages: [String]
        /// SHA-256, 32 bytes each.
        public let certificateDigests: [[UInt8]]

        init(_ element: DERElement) throws(WireFault) {
            var reader = DERReader(try element.content(of: .sequence))
            var packages = try reader.next(.set).elements
            var digests = try reader.next(.set).elements
            try reader.finish()
            var names: [String] = []
            while !packages.isAtEnd { names.append(try Self.name(try packages.next(.sequence))) }
            var found: [[UInt8]] = []
            while !digests.isAtEnd { found.append(try digests.next(.octetString).content) }
            self.packages = names
            certificateDigests = found
        }

        private static func name(_ package: DERElement) throws(WireFault) -> String {
            var reader = package.elements
            let name = try reader.next(.octetString).content
            _ = try reader.next(.integer)
            try reader.finish()
            guard let text = String(validating: name, as: UTF8.self) else { throw WireFault(.notUTF8, at: 0) }
            return text
        }
    }
}
