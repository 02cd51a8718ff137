import Crypto
import GatehouseKit
import WebAuthn
import Wire

/// Allow lists for names that have no passkey: a keyed function of the name, so that asking twice tells nothing.
///
/// They are as varied as real lists: one ID or two, of the lengths and with the transports of common authenticators.
/// A list of three or more is therefore a real one. Real lists aren't padded to hide that, because a client may ask a
/// person to unlock one security key after the other for IDs that nobody has.
struct Decoys: Sendable {
    private let function: HMAC256

    init(key: [UInt8]) { function = HMAC256(key: key) }

    func list(for identifier: Identifier) -> [PublicKeyCredentialDescriptor] {
        let first = draw("first passkey", identifier)
        let second = draw("second passkey", identifier)
        // One in four people has a second one.
        return second.choice & 0x0C == 0 ? [first.descriptor, second.descriptor] : [first.descriptor]
    }

    /// Stands for a credential that isn't the account's, so that checking one costs what checking a real one does.
    ///
    /// Everything that is compared before the signature is a keyed function of the ID, as it is fixed for a real record.
    ///
    /// - Parameter id: The ID that the response came with.
    func record(withID id: Base64URL) -> WebAuthn.CredentialRecord {
        let chance = function.code(for: Self.message("backup eligibility", id.bytes)).first ?? 0
        return WebAuthn.CredentialRecord(
            id: id,
            publicKey: Self.publicKey,
            algorithm: .es256,
            signCount: 0,
            uvInitialized: false,
            transports: [],
            backupEligible: chance & 1 == 1,
            backupState: false,
            aaguid: Base64URL(bytes: [UInt8](repeating: 0, count: 16)),
            attestationFormat: .none
        )
    }

    /// The user handle that a name without an account is taken to have.
    func userHandle(for identifier: Identifier) -> [UInt8] {
        function.code(for: Self.message("user handle", Array(identifier.description.utf8)))
    }

    /// A sound key: G, the base point of P-256 (NIST SP 800-186 §3.2.1.3).
    ///
    /// Whoever computes a signature for it gains nothing, since what is checked against it is refused in any case.
    private static let publicKey = Base64URL(
        bytes: [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + baseX + [0x22, 0x58, 0x20] + baseY
    )

    private static let baseX: [UInt8] = [
        0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
        0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
    ]

    private static let baseY: [UInt8] = [
        0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16,
        0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]

    private func draw(_ label: String, _ identifier: Identifier) -> Draw {
        let name = Array(identifier.description.utf8)
        return Draw(
            id: function.code(for: Self.message(label, name)),
            choice: function.code(for: Self.message("shape of the \(label)", name)).first ?? 0
        )
    }

    private static func message(_ label: String, _ subject: [UInt8]) -> [UInt8] { Array(label.utf8) + [0] + subject }
}

/// One decoy: 32 bytes to cut an ID from, and a byte that picks its form.
private struct Draw {
    let id: [UInt8]
    let choice: UInt8

    var descriptor: PublicKeyCredentialDescriptor {
        let (length, transports) = form
        return PublicKeyCredentialDescriptor(id: Base64URL(bytes: Array(id.prefix(length))), transports: transports)
    }

    /// Lengths in bytes that are common among synced passkeys (16, 20) and platform authenticators (32); transports in
    /// the order in which clients give them (WebAuthn Level 3 §5.2.1, `getTransports()`).
    private var form: (Int, [String]) {
        switch choice & 3 {
        case 0: (16, ["hybrid", "internal"])
        case 1: (20, ["hybrid", "internal"])
        case 2: (32, ["hybrid", "internal"])
        default: (32, ["internal"])
        }
    }
}
