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

    /// Made from records that are decoded as stored ones are, which takes most of the time.
    func list(for identifier: Identifier) throws(ProviderFault) -> [PublicKeyCredentialDescriptor] {
        let first = draw("first passkey", identifier)
        let second = draw("second passkey", identifier)
        // One in four people has a second one.
        let drawn = second.choice & 0x0C == 0 ? [first, second] : [first]
        return try drawn.map { (draw) throws(ProviderFault) in
            let (length, transports) = draw.form
            let id = Base64URL(bytes: Array(draw.id.prefix(length)))
            return PublicKeyCredentialDescriptor(try record(withID: id, transports: transports))
        }
    }

    /// Stands for a credential that isn't the account's, so that checking one costs what checking a real one does.
    ///
    /// It is decoded as a stored one is, and nothing but its ID is compared before the signature. The cost is that of
    /// ES256, the algorithm of nearly all passkeys; one of another algorithm can be told by its time from a decoy.
    ///
    /// - Parameter id: The ID that the response came with.
    func record(
        withID id: Base64URL,
        transports: [String] = []
    ) throws(ProviderFault) -> WebAuthn.CredentialRecord {
        let stored = try PasskeyPayload.decode(Self.payload)
        return WebAuthn.CredentialRecord(
            id: id,
            publicKey: stored.publicKey,
            algorithm: stored.algorithm,
            signCount: stored.signCount,
            uvInitialized: stored.uvInitialized,
            transports: transports,
            backupEligible: stored.backupEligible,
            backupState: stored.backupState,
            aaguid: stored.aaguid,
            attestationFormat: stored.attestationFormat
        )
    }

    /// The user handle that a name without an account is taken to have.
    func userHandle(for identifier: Identifier) -> [UInt8] {
        function.code(for: Self.message("user handle", Array(identifier.description.utf8)))
    }

    /// A payload with a sound key: G, the base point of P-256 (NIST SP 800-186 §3.2.1.3).
    ///
    /// Whoever computes a signature for it gains nothing, since what is checked against it is refused in any case.
    private static let payload = Array(
        """
        {"aaguid":"AAAAAAAAAAAAAAAAAAAAAA","algorithm":-7,"attestationFormat":"none","backupEligible":false,\
        "backupState":false,"id":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",\
        "publicKey":"pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZA\
        aDe_UfU","signCount":0,"transports":["hybrid","internal"],"uvInitialized":true}
        """.utf8
    )

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

    /// Lengths in bytes that are common among synced passkeys (16, 20) and platform authenticators (32); transports in
    /// the order in which clients give them (WebAuthn Level 3 §5.2.1, `getTransports()`).
    var form: (length: Int, transports: [String]) {
        switch choice & 3 {
        case 0: (16, ["hybrid", "internal"])
        case 1: (20, ["hybrid", "internal"])
        case 2: (32, ["hybrid", "internal"])
        default: (32, ["internal"])
        }
    }
}
