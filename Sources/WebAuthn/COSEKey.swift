public import Crypto
import Wire

/// A credential public key: COSE_Key (RFC 9052 §7) with the algorithm it is for.
///
/// WebAuthn Level 3 §6.5.1 (`#sctn-encoded-credPubKey-examples`), editor's draft of 2026-07-30: "alg" and the parameters
/// that the key type requires, and no others.
public struct COSEKey: Sendable {
    public let algorithm: COSEAlgorithm
    public let publicKey: any PublicKey

    /// - Parameter bytes: One CBOR item and nothing after it.
    public init(parsing bytes: [UInt8]) throws(COSEKeyFault) {
        var parameters = try Parameters(parsing: bytes)
        algorithm = try parameters.algorithm()
        publicKey = try Self.publicKey(for: algorithm, &parameters)
    }

    /// Reads the algorithm alone, so that one that was not offered is refused before its key is looked at.
    static func algorithm(of bytes: [UInt8]) throws(COSEKeyFault) -> COSEAlgorithm {
        var parameters = try Parameters(parsing: bytes)
        return try parameters.algorithm()
    }

    /// The table of what is supported: an algorithm is a row here, and a file in `Crypto`.
    private static func publicKey(
        for algorithm: COSEAlgorithm,
        _ parameters: inout Parameters
    ) throws(COSEKeyFault) -> any PublicKey {
        switch algorithm {
        case .es256: try p256(&parameters)
        case .edDSA: try ed25519(&parameters)
        case .rs256: try rsa(&parameters)
        default: throw .unsupportedAlgorithm
        }
    }
}

// MARK: - Key types (RFC 9053 §7, RFC 8230 §4)

extension COSEKey {
    private static func p256(_ parameters: inout Parameters) throws(COSEKeyFault) -> any PublicKey {
        try parameters.expect(.keyType, is: 2)
        try parameters.expect(.curve, is: 1)
        let x = try parameters.bytes(.x)
        let y = try parameters.bytes(.y)
        try parameters.finish()
        do { return try P256PublicKey(x: x, y: y) } catch { throw .unsound(error) }
    }

    private static func ed25519(_ parameters: inout Parameters) throws(COSEKeyFault) -> any PublicKey {
        try parameters.expect(.keyType, is: 1)
        try parameters.expect(.curve, is: 6)
        let x = try parameters.bytes(.x)
        try parameters.finish()
        do { return try Ed25519PublicKey(encoding: x) } catch { throw .unsound(error) }
    }

    private static func rsa(_ parameters: inout Parameters) throws(COSEKeyFault) -> any PublicKey {
        try parameters.expect(.keyType, is: 3)
        let modulus = try parameters.bytes(.modulus)
        let exponent = try parameters.bytes(.exponent)
        try parameters.finish()
        do { return try RSAPublicKey(modulus: modulus, exponent: exponent) } catch { throw .unsound(error) }
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
