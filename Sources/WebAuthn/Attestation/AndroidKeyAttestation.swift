import Crypto
import Wire

/// "android-key" (WebAuthn Level 3 §8.4, `#sctn-android-key-attestation`, editor's draft of 2026-07-30).
enum AndroidKeyAttestation {
    static func verify(
        _ members: StatementMembers,
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        let algorithm = try members.algorithm()
        let signature = try members.bytes(.sig)
        let chain = try members.certificates()
        try evidence.checkSignature(signature, over: evidence.signedBytes, by: chain.leaf, algorithm.signature)
        guard chain.leaf.fields.key == evidence.key.material else { throw .keyMismatch }
        guard let stated = chain.leaf.fields.firstExtension("1.3.6.1.4.1.11129.2.1.17"),
            let description = AndroidKeyDescription(parsing: stated.value)
        else { throw .requirement(.keyDescription) }
        guard description.challenge == evidence.clientDataHash else { throw .nonceMismatch }
        guard description.suitsCredential else { throw .keyDescription }
        return AttestationFinding(.androidKey, .basic, [chain])
    }
}

/// What Android's keystore says of a key (§8.4.1; source.android.com/docs/security/features/keystore/attestation).
struct AndroidKeyDescription {
    let challenge: [UInt8]
    private let softwareEnforced: Authorizations
    private let hardwareEnforced: Authorizations

    init?(parsing value: [UInt8]) {
        do throws(WireFault) {
            var reader = DERReader(try DERElement(parsing: value).content(of: .sequence))
            // Versions and security levels of the attestation and of the keystore.
            for tag in [DERTag.integer, .enumerated, .integer, .enumerated] { _ = try reader.next(tag) }
            challenge = try reader.next(.octetString).content
            _ = try reader.next(.octetString)
            softwareEnforced = try Authorizations(parsing: try reader.next(.sequence))
            hardwareEnforced = try Authorizations(parsing: try reader.next(.sequence))
            try reader.finish()
        } catch { return nil }
    }

    /// Whether the key is for one application, was made where it is kept, and signs.
    ///
    /// The union of both lists is asked, and a list that says nothing of origin or purpose says nothing against the key,
    /// as in the test vectors of §16.
    var suitsCredential: Bool {
        [softwareEnforced, hardwareEnforced].allSatisfy { list in
            !list.isForAllApplications && (list.origin ?? 0) == 0 && list.purposes?.contains(2) ?? true
        }
    }

    /// The entries of an AuthorizationList that matter here.
    private struct Authorizations {
        private(set) var isForAllApplications = false
        /// `KM_ORIGIN_GENERATED` is 0.
        private(set) var origin: Int?
        /// `KM_PURPOSE_SIGN` is 2.
        private(set) var purposes: [Int]?

        init(parsing list: DERElement) throws(WireFault) {
            var reader = list.elements
            while !reader.isAtEnd {
                let entry = try reader.next()
                switch entry.tag {
                case .explicit(1): purposes = try Self.numbers(entry)
                case .explicit(600): isForAllApplications = true
                case .explicit(702): origin = try DERElement(parsing: entry.content).smallNumber ?? .max
                default: break
                }
            }
        }

        private static func numbers(_ entry: DERElement) throws(WireFault) -> [Int] {
            var reader = DERReader(try DERElement(parsing: entry.content).content(of: .set))
            var numbers: [Int] = []
            while !reader.isAtEnd { numbers.append(try reader.next(.integer).smallNumber ?? .max) }
            return numbers
        }
    }
}
