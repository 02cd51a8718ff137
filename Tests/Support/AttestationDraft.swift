import Crypto

/// What an attestation is to be made of.
public struct AttestationDraft: Sendable {
    public typealias Statement = (format: String, statement: CBORItem)

    public let authenticatorData: [UInt8]
    public let clientDataHash: [UInt8]
    public let credentialID: [UInt8]
    public let key: SigningKey

    public var signedBytes: [UInt8] { authenticatorData + clientDataHash }

    /// "packed" with the credential's own key.
    public func packedSelf() -> Statement {
        let members: [(key: CBORItem, value: CBORItem)] = [
            (.text("alg"), .int(key.algorithm.rawValue)), (.text("sig"), .bytes(key.sign(signedBytes))),
        ]
        return ("packed", .map(members))
    }

    /// "packed" with the key of a certificate.
    public func packed(by attester: SigningKey, _ chain: [[UInt8]]) -> Statement {
        let members: [(key: CBORItem, value: CBORItem)] = [
            (.text("alg"), .int(attester.algorithm.rawValue)), (.text("sig"), .bytes(attester.sign(signedBytes))),
            (.text("x5c"), .array(chain.map(CBORItem.bytes))),
        ]
        return ("packed", .map(members))
    }

    /// "fido-u2f" with the key of a certificate.
    public func u2f(by attester: SigningKey, _ chain: [[UInt8]]) -> Statement {
        let signed = [0x00] + authenticatorData.prefix(32) + clientDataHash + credentialID + key.publicBytes
        let members: [(key: CBORItem, value: CBORItem)] = [
            (.text("sig"), .bytes(attester.sign(signed))), (.text("x5c"), .array(chain.map(CBORItem.bytes))),
        ]
        return ("fido-u2f", .map(members))
    }
}
