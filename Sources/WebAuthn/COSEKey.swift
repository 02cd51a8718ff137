public import Crypto
import Wire

/// A credential public key: COSE_Key (RFC 9052 §7) with the algorithm it is for.
///
/// WebAuthn Level 3 §6.5.1 (`#sctn-encoded-credPubKey-examples`), editor's draft of 2026-07-30: "alg" and the parameters
/// that the key type requires, and no others.
public struct COSEKey: Sendable {
    public let algorithm: COSEAlgorithm
    public let publicKey: any PublicKey
    /// The same key in numbers, to be compared with what a statement says of it.
    let material: KeyMaterial

    /// - Parameters:
    ///   - bytes: One CBOR item and nothing after it.
    ///   - wasKey: Whether the same bytes made a key before, at registration.
    public init(parsing bytes: [UInt8], wasKey: Bool = false) throws(COSEKeyFault) {
        var parameters = try Parameters(parsing: bytes)
        algorithm = try parameters.algorithm()
        guard let signature = algorithm.signature else { throw .unsupportedAlgorithm }
        material = try Self.material(for: signature, &parameters)
        let key: (any PublicKey)?
        do { key = try signature.publicKey(material, wasKey: wasKey) } catch { throw .unsound(error) }
        guard let key else { throw .inconsistent }
        publicKey = key
    }

    /// Reads the algorithm alone, so that one that was not offered is refused before its key is looked at.
    static func algorithm(of bytes: [UInt8]) throws(COSEKeyFault) -> COSEAlgorithm {
        var parameters = try Parameters(parsing: bytes)
        return try parameters.algorithm()
    }
}

// MARK: - Key types (RFC 9053 §7, RFC 8230 §4, RFC 8812 §3.1)

extension COSEKey {
    private static func material(
        for signature: SignatureAlgorithm,
        _ parameters: inout Parameters
    ) throws(COSEKeyFault) -> KeyMaterial {
        let material: KeyMaterial
        switch signature {
        case .ecdsa(let curve, _):
            try parameters.expect(.keyType, is: 2)
            try parameters.expect(.curve, is: number(of: curve))
            material = .elliptic(curve, x: try parameters.bytes(.x), y: try parameters.bytes(.y))
        case .ed25519:
            try parameters.expect(.keyType, is: 1)
            try parameters.expect(.curve, is: 6)
            material = .ed25519(try parameters.bytes(.x))
        case .ed448:
            try parameters.expect(.keyType, is: 1)
            try parameters.expect(.curve, is: 7)
            material = .ed448(try parameters.bytes(.x))
        case .rsaPKCS1, .rsaPSS:
            try parameters.expect(.keyType, is: 3)
            let modulus = try parameters.bytes(.modulus)
            material = .rsa(modulus: modulus, exponent: try parameters.bytes(.exponent))
        }
        try parameters.finish()
        return material
    }

    private static func number(of curve: EllipticCurve) -> Int {
        switch curve {
        case .p256: 1
        case .p384: 2
        case .p521: 3
        case .secp256k1: 8
        }
    }
}

extension COSEKey {
    /// The labels of a key; what the negative ones mean depends on the key type.
    private enum Label: Int {
        case keyType = 1
        case algorithm = 3
        case curve = -1
        case x = -2
        case y = -3

        static let modulus = Label.curve
        static let exponent = Label.x
    }

    /// The parameters, and how many of them were asked for: what is left in the end is one too many.
    private struct Parameters {
        private let map: CBORMap
        private var taken = 0

        init(parsing bytes: [UInt8]) throws(COSEKeyFault) {
            let item: CBORValue
            do { item = try CBORValue(decoding: bytes.span) } catch { throw .malformed(error) }
            guard let map = item.map else { throw .parameters }
            self.map = map
        }

        mutating func algorithm() throws(COSEKeyFault) -> COSEAlgorithm {
            COSEAlgorithm(rawValue: try integer(.algorithm))
        }

        mutating func expect(_ label: Label, is expected: Int) throws(COSEKeyFault) {
            guard try integer(label) == expected else { throw .inconsistent }
        }

        mutating func bytes(_ label: Label) throws(COSEKeyFault) -> [UInt8] {
            guard let bytes = map[label.rawValue]?.byteString else { throw .parameters }
            taken += 1
            return bytes
        }

        private mutating func integer(_ label: Label) throws(COSEKeyFault) -> Int {
            guard let number = map[label.rawValue]?.integer else { throw .parameters }
            taken += 1
            return number
        }

        func finish() throws(COSEKeyFault) {
            guard map.entries.count == taken else { throw .parameters }
        }
    }
}
