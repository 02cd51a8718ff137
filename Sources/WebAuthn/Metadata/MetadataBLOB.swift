public import Crypto
public import Wire

/// What one issue of the FIDO Metadata Service says, its signature verified (v3.0 of 2021-05-18, §3.1.6).
public struct MetadataBLOB: Sendable {
    /// In bytes of the signed text; the real one has 12 million.
    public static let maximumSize = 32 << 20

    /// The serial number `no`.
    public let number: Int
    /// The day by which the next issue is promised: midnight UTC, in seconds since 1970.
    public let nextUpdate: Int64
    /// How many models are described.
    public let count: Int
    /// How many entries were left out, because they can't be read; nobody trusts what they describe.
    public let unreadableCount: Int

    private let byAAGUID: [Base64URL: AuthenticatorModel]
    private let byKeyIdentifier: [Base64URL: AuthenticatorModel]

    /// Verifies a signed BLOB and keeps of it what is asked for here.
    ///
    /// The rules of §3.2, without revocation lists: a signer is trusted until its certificate expires.
    ///
    /// - Parameters:
    ///   - text: A JWS in compact form (RFC 7515 §7.1), with white space around it at most.
    ///   - time: When its certificates have to be valid, in seconds since 1970.
    public init(verifying text: [UInt8], by signer: MetadataSigner, at time: Int64) throws(MetadataFault) {
        guard text.count <= Self.maximumSize else { throw .size(text.count) }
        let payload = try signer.payload(of: text.trimmingSpace(), at: time)
        do throws(WireFault) {
            try self.init(parsing: payload)
        } catch { throw .malformed(error) }
    }

    init(parsing payload: [UInt8]) throws(WireFault) {
        let document = try JSONDocument(parsing: payload, dividing: "entries", depth: 32)
        guard let number = document["no"].flatMap({ Int(String(decoding: $0, as: UTF8.self)) }), number >= 0,
            let day = document["nextUpdate"].flatMap(Self.text), let nextUpdate = Day.start(of: day)
        else { throw WireFault(.notCanonical, at: 0) }
        self.number = number
        self.nextUpdate = nextUpdate
        var models = ModelCollector()
        for index in 0..<document.count { models.add(document.element(index)) }
        byAAGUID = models.byAAGUID
        byKeyIdentifier = models.byKeyIdentifier
        count = models.count
        unreadableCount = models.unreadableCount
    }

    /// The text of a JSON string without escapes.
    private static func text(_ json: [UInt8]) -> String? {
        guard json.count >= 2, json.first == UInt8(ascii: "\"") else { return nil }
        return String(decoding: json.dropFirst().dropLast(), as: UTF8.self)
    }

    /// The model with an AAGUID.
    ///
    /// What an authenticator says of itself without an attestation is a claim, good for a name to show and no more.
    public func model(aaguid: Base64URL) -> AuthenticatorModel? { byAAGUID[aaguid] }

    /// The model whose attestation certificates have a key, by ``Crypto/Certificate/keyIdentifier``.
    public func model(keyIdentifier: [UInt8]) -> AuthenticatorModel? {
        byKeyIdentifier[Base64URL(bytes: keyIdentifier)]
    }
}

extension [UInt8] {
    fileprivate func trimmingSpace() -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return first == 0 && last == count - 1 ? self : Array(self[first...last])
    }
}

/// Why there is no metadata in a text.
public enum MetadataFault: Error, Equatable, Sendable {
    /// Of so many bytes, which is more than is read.
    case size(Int)
    /// Not a JWS, or not with a payload of metadata in it.
    case malformed(WireFault)
    /// A protected header that names no certificates, or asks for what isn't known here.
    case header
    /// An algorithm that isn't verified, or that isn't the key's.
    case algorithm
    /// The signer is nobody who is trusted.
    case signer(CertificateChainFault)
    case signature
    /// An issue before the one that is known, whose number is given.
    case older(than: Int)
}
