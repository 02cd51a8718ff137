public import Crypto
import FoundationEssentials
import Wire

/// Whose signature makes a text metadata.
public struct MetadataSigner: Sendable {
    /// What the signing certificate has to lead to.
    public let anchors: TrustAnchors
    /// The host the signing certificate has to be for.
    ///
    /// An authority that also certifies web servers would otherwise let each of them sign. `nil` where the anchors certify
    /// nobody else.
    public let host: String?

    public init(_ anchors: TrustAnchors, host: String?) {
        self.anchors = anchors
        self.host = host
    }

    /// The FIDO Alliance: GlobalSign Root CA – R3, for mds.fidoalliance.org (fidoalliance.org/metadata).
    public static let fidoAlliance = MetadataSigner(TrustAnchors(FIDORoot.certificates), host: "mds.fidoalliance.org")
}

extension MetadataSigner {
    /// The payload of a JWS that this signer made (RFC 7515 §5.2).
    func payload(of text: [UInt8], at time: Int64) throws(MetadataFault) -> [UInt8] {
        let jws: CompactJWS
        do { jws = try CompactJWS(parsing: text) } catch { throw .malformed(error) }
        let header = try Header(parsing: jws.header)
        let chain: CertificateChain
        do throws(CertificateChainFault) {
            chain = try CertificateChain(header.certificates)
            try chain.validate(to: anchors, at: time, host: host)
        } catch { throw .signer(error) }
        guard try header.isValid(jws.signature, over: jws.signedBytes, by: chain.leaf) else { throw .signature }
        return jws.payload
    }
}

/// The protected header: an algorithm, and the certificates of the signer.
private struct Header {
    let algorithm: String
    /// In DER, the signer's first.
    let certificates: [[UInt8]]

    private static let maximumSize = 65_536

    /// - Throws: ``MetadataFault/header`` also for a critical parameter (RFC 7515 §4.1.11), and for certificates that would
    ///   have to be fetched first (`x5u`).
    init(parsing json: [UInt8]) throws(MetadataFault) {
        guard json.count <= Self.maximumSize, (try? StrictJSON.check(json)) != nil,
            let members = try? JSONDecoder().decode(Members.self, from: Data(json)), members.crit == nil
        else { throw .header }
        algorithm = members.alg
        certificates = members.x5c.compactMap { Base64URL(standard: String($0.filter { $0 != "=" }))?.bytes }
        guard !certificates.isEmpty, certificates.count == members.x5c.count else { throw .header }
    }

    private struct Members: Decodable {
        let alg: String
        let x5c: [String]
        let crit: [String]?
    }

    /// RS256, PS256 and ES256 (RFC 7518 §3.1).
    func isValid(
        _ signature: [UInt8],
        over message: [UInt8],
        by certificate: Certificate
    ) throws(MetadataFault) -> Bool {
        do throws(CertificateFault) {
            switch algorithm {
            case "RS256":
                let key = try certificate.publicKey(for: .rsaPKCS1(.sha256))
                return key.isValid(signature: signature, over: message)
            case "PS256":
                let key = try certificate.publicKey(for: .rsaPSS(.sha256))
                return key.isValid(signature: signature, over: message)
            case "ES256":
                let key = try certificate.publicKey(for: .ecdsa(.p256, .sha256)) as? P256PublicKey
                return key?.isValid(rawSignature: signature, over: message) ?? false
            default: throw .unsupportedKey
            }
        } catch { throw .algorithm }
    }
}
