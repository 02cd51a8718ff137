import GatehouseTesting
import Testing
import WebAuthn
import Wire

struct AuthenticatorDataTests {
    private static let key = SigningKey(.es256).coseKey.encoded
    private static let hash = [UInt8](repeating: 7, count: 32)

    private static func registration(flags: UInt8 = 0x45, idLength: [UInt8] = [0, 2], tail: [UInt8] = []) -> [UInt8] {
        hash + [flags, 0, 0, 0, 9] + [UInt8](repeating: 1, count: 16) + idLength + [5, 6] + key + tail
    }

    @Test func `the parts are found`() throws {
        let data = try AuthenticatorData(parsing: Self.registration())
        #expect(data.relyingPartyIDHash == Self.hash && data.signCount == 9)
        #expect(data.flags == [.userPresent, .userVerified, .attestedCredential])
        #expect(data.attestedCredential?.credentialID == [5, 6])
        #expect(data.attestedCredential?.publicKey == Self.key)
    }

    @Test(arguments: ["a1616101", "a16b6372656450726f7465637403"])
    func `extensions after the key stay out of the key`(extensions: String) throws {
        let data = try AuthenticatorData(parsing: Self.registration(flags: 0xC5, tail: bytes(extensions)))
        #expect(data.attestedCredential?.publicKey == Self.key)
        #expect(data.extensions.count == 1)
    }

    @Test func `a registration with extensions stores one CBOR item and signs in twice`() throws {
        let site = Site()
        let large = CBORItem.map([
            (.text("credProtect"), .int(3)),
            (.text("hmac-secret"), .bytes([UInt8](repeating: 3, count: 2048))),
        ])
        let authenticator = SoftAuthenticator()
        let extended = Alterations { $0.extensions = large.encoded }
        let registered = try site.register(authenticator, altering: extended)
        #expect(registered.credential.publicKey.bytes == authenticator.credentials[0].key.coseKey.encoded)
        #expect(registered.extensions["credProtect"] == CBORValue(3))
        let first = try site.signIn(authenticator, by: registered.credential, altering: extended)
        #expect(first.extensions["hmac-secret"]?.byteString?.count == 2048)
        _ = try site.signIn(authenticator, by: first.credential)
    }

    @Test(arguments: [
        "", "ff", "bc00", "a168637265", "00", "f6", "a10102", "a2616101616102", "bf616101ff", "bb8000000000000000",
        "a161785bffffffffffffffff", "a161610100",
    ])
    func `extension data that is not one map by identifier is refused`(extensions: String) {
        #expect(throws: WireFault.self) {
            try AuthenticatorData(parsing: Self.registration(flags: 0xC5, tail: bytes(extensions)))
        }
        #expect(throws: WireFault.self) {
            try AuthenticatorData(parsing: Self.hash + [0x85, 0, 0, 0, 9] + bytes(extensions))
        }
    }

    @Test func `bytes that no flag announces are refused`() {
        #expect(throws: WireFault.self) { try AuthenticatorData(parsing: Self.registration(tail: [0xA0])) }
        #expect(throws: WireFault.self) { try AuthenticatorData(parsing: Self.registration(flags: 0x05)) }
        #expect(throws: WireFault.self) { try AuthenticatorData(parsing: Self.registration(tail: Self.key)) }
    }

    @Test(arguments: [[0xFF, 0xFF], [0, 1], [0, 3], [0, 0], [0, 79]] as [[UInt8]])
    func `a length of the credential ID that does not fit is refused`(length: [UInt8]) {
        #expect(throws: WireFault.self) { try AuthenticatorData(parsing: Self.registration(idLength: length)) }
    }

    @Test func `every prefix is refused`() {
        let whole = Self.registration(flags: 0xC5, tail: [0xA1, 0x61, 0x61, 0x01])
        for length in whole.indices {
            #expect(throws: WireFault.self) { try AuthenticatorData(parsing: Array(whole.prefix(length))) }
        }
    }

    @Test func `reserved flags are ignored`() throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        let reserved = Alterations { $0.flags = { $0 |= 0x22 } }
        let record = try site.register(authenticator, altering: reserved).credential
        _ = try site.signIn(authenticator, by: record, altering: reserved)
    }

    @Test(arguments: [[0x81], [0xA1, 0x00], [0xC0]] as [[UInt8]])
    func `an attestation object of two hundred thousand levels is refused`(level: [UInt8]) {
        let nested = Array([[UInt8]](repeating: level, count: 200_000).joined()) + [0]
        #expect(throws: WebAuthnError.self) { try AttestationObject(parsing: nested) }
    }
}

/// Bytes from hexadecimal digits.
private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
