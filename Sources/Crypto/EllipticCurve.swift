import COpenSSL

/// The curves of ECDSA keys.
public enum EllipticCurve: Sendable, CaseIterable {
    case p256
    case p384
    case p521
    case secp256k1

    /// The size of a coordinate and of each half of a signature, in bytes.
    public var coordinateSize: Int {
        switch self {
        case .p256, .secp256k1: 32
        case .p384: 48
        case .p521: 66
        }
    }

    var nid: Int32 {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        case .secp256k1: NID_secp256k1
        }
    }

    var group: PreparedGroup {
        switch self {
        case .p256: PreparedGroup.p256
        case .p384: PreparedGroup.p384
        case .p521: PreparedGroup.p521
        case .secp256k1: PreparedGroup.secp256k1
        }
    }
}

/// An `EC_GROUP` that lives as long as the process.
@safe
struct PreparedGroup: @unchecked Sendable {
    static let p256 = PreparedGroup(NID_X9_62_prime256v1)
    static let p384 = PreparedGroup(NID_secp384r1)
    static let p521 = PreparedGroup(NID_secp521r1)
    static let secp256k1 = PreparedGroup(NID_secp256k1)

    // Sound: a group is read-only once made, and this one is never freed. `nil` where libcrypto was built without the
    // curve, as some distributions do: no key of it is a key then.
    let pointer: OpaquePointer?

    private init(_ nid: Int32) {
        unsafe pointer = EC_GROUP_new_by_curve_name(nid)
    }
}
