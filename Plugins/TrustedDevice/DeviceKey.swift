import Crypto
import Wire

/// A P-256 public key as a JSON Web Key (RFC 7517 §4, RFC 7518 §6.2.1).
///
/// Decoding takes any object, so that what is wrong with a key can be told apart from what is wrong with the request;
/// ``checked()`` is strict.
public struct DeviceKey: Decodable, Sendable {
    private let kty: String?
    private let crv: String?
    private let alg: String?
    private let x: String?
    private let y: String?
    private let holdsPrivateKey: Bool

    private enum CodingKeys: String, CodingKey { case kty, crv, alg, x, y, d }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? {
            // A member of the wrong type is as wrong as a missing one, and is refused as such.
            values.contains(key) ? (try? values.decode(String.self, forKey: key)) ?? "" : nil
        }
        kty = text(.kty)
        crv = text(.crv)
        alg = text(.alg)
        x = text(.x)
        y = text(.y)
        holdsPrivateKey = values.contains(.d)
    }

    /// - Throws: ``Fault`` unless it is the public half of a P-256 key, for ES256 if it says what for.
    func checked() throws(Fault) -> Coordinates {
        guard let kty, let crv, !holdsPrivateKey else { throw .malformed }
        guard kty == "EC", crv == "P-256", alg ?? "ES256" == "ES256" else { throw .unsupported }
        guard let x = x.flatMap({ Base64URL($0) }), let y = y.flatMap({ Base64URL($0) }) else { throw .malformed }
        let coordinates = Coordinates(x: x, y: y)
        do throws(KeyFault) { _ = try coordinates.publicKey } catch { throw .malformed }
        return coordinates
    }

    enum Fault: Error {
        case malformed
        case unsupported
    }

    /// The key as it is stored.
    struct Coordinates: Codable, Equatable {
        let x: Base64URL
        let y: Base64URL

        /// RFC 7638, with SHA-256.
        var thumbprint: Base64URL {
            let members = #"{"crv":"P-256","kty":"EC","x":"\#(x.text)","y":"\#(y.text)"}"#
            return Base64URL(bytes: SHA256.hash(Array(members.utf8)))
        }

        var publicKey: P256PublicKey {
            get throws(KeyFault) { try P256PublicKey(x: x.bytes, y: y.bytes) }
        }
    }
}
