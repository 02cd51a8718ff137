import Crypto
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// A key that a registration without attestation has to refuse by itself.
struct KeyTampering: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: COSEKeyFault
    let change: @Sendable (inout CBORItem) -> Void

    init(_ what: String, _ expected: COSEKeyFault, _ change: @escaping @Sendable (inout CBORItem) -> Void) {
        testDescription = what
        self.expected = expected
        self.change = change
    }

    /// Sets one parameter.
    init(_ what: String, _ expected: COSEKeyFault, _ label: Int, _ value: CBORItem?) {
        self.init(what, expected) { $0.set(.int(label), to: value) }
    }
}

struct COSEKeyTests {
    private static let zeros = [UInt8](repeating: 0, count: 32)
    private static let one = [UInt8](repeating: 0, count: 31) + [1]

    static let p256 = [
        KeyTampering("no key type", .parameters, 1, nil),
        KeyTampering("key type 0", .inconsistent, 1, .int(0)),
        KeyTampering("key type RSA", .inconsistent, 1, .int(3)),
        KeyTampering("key type 2.0", .parameters, 1, .raw([0xF9, 0x40, 0x00])),
        KeyTampering("key type true", .parameters, 1, .bool(true)),
        KeyTampering("no algorithm", .parameters, 3, nil),
        KeyTampering("algorithm as text", .parameters, 3, .text("ES256")),
        KeyTampering("algorithm EdDSA", .inconsistent, 3, .int(-8)),
        KeyTampering("algorithm RS256", .inconsistent, 3, .int(-257)),
        KeyTampering("algorithm -2^64", .parameters, 3, .raw([0x3B] + [UInt8](repeating: 0xFF, count: 8))),
        KeyTampering("curve P-384", .inconsistent, -1, .int(2)),
        KeyTampering("curve secp256k1", .inconsistent, -1, .int(8)),
        KeyTampering("no curve", .parameters, -1, nil),
        KeyTampering("no x", .parameters, -2, nil),
        KeyTampering("x of no bytes", .unsound(.length(0)), -2, .bytes([])),
        KeyTampering("x of 31 bytes", .unsound(.length(31)), -2, .bytes(Array(zeros.dropLast()))),
        KeyTampering("x of 33 bytes", .unsound(.length(33)), -2, .bytes([0] + zeros)),
        KeyTampering("x as text", .parameters, -2, .text("x")),
        KeyTampering("y as the sign of a compressed point", .parameters, -3, .bool(false)),
        KeyTampering("another y", .unsound(.notOnCurve), -3, .bytes(one)),
        KeyTampering("x = y = 1", .unsound(.notOnCurve)) {
            $0.set(.int(-2), to: .bytes(one))
            $0.set(.int(-3), to: .bytes(one))
        },
        KeyTampering("x = y = 0", .unsound(.notOnCurve)) {
            $0.set(.int(-2), to: .bytes(zeros))
            $0.set(.int(-3), to: .bytes(zeros))
        },
        KeyTampering("x above the prime", .unsound(.notOnCurve), -2, .bytes([UInt8](repeating: 0xFF, count: 32))),
        KeyTampering("a private part", .parameters, -4, .bytes(zeros)),
        KeyTampering("a key ID", .parameters, 2, .bytes([1])),
        KeyTampering("a text label", .parameters) { $0.set(.text("x"), to: .int(1)) },
        KeyTampering("an array", .parameters) { $0 = .array([.int(1), .int(2)]) },
        KeyTampering("null", .parameters) { $0 = .null },
        KeyTampering("an empty map", .parameters) { $0 = .map([]) },
        KeyTampering("a point as bytes", .parameters) { $0 = .bytes([4] + zeros + zeros) },
    ]

    static let ed25519 = [
        KeyTampering("key type EC2", .inconsistent, 1, .int(2)),
        KeyTampering("curve X25519", .inconsistent, -1, .int(4)),
        KeyTampering("no curve", .parameters, -1, nil),
        KeyTampering("no x", .parameters, -2, nil),
        KeyTampering("x of 31 bytes", .unsound(.length(31)), -2, .bytes(Array(zeros.dropLast()))),
        KeyTampering("x of zeros", .unsound(.smallOrder), -2, .bytes(zeros)),
        KeyTampering("the identity", .unsound(.smallOrder), -2, .bytes(Array(one.reversed()))),
        KeyTampering("a y too many", .parameters, -3, .bytes(zeros)),
    ]

    static let rsa = [
        KeyTampering("key type EC2", .inconsistent, 1, .int(2)),
        KeyTampering("512 bits", .unsound(.modulus(bits: 512)), -1, .bytes([UInt8](repeating: 0xFF, count: 64))),
        KeyTampering("2^17 bits in 16 kB", .unsound(.modulus(bits: 1 << 17))) {
            $0.set(.int(-1), to: .bytes([UInt8](repeating: 0xFF, count: 1 << 14)))
        },
        KeyTampering("no modulus", .parameters, -1, nil),
        KeyTampering("a modulus as an integer", .parameters, -1, .int(Int.max)),
        KeyTampering("exponent 1", .unsound(.exponent), -2, .bytes([1])),
        KeyTampering("exponent 3", .unsound(.exponent), -2, .bytes([3])),
        KeyTampering("an exponent as an integer", .parameters, -2, .int(65_537)),
        KeyTampering("a third number", .parameters, -3, .bytes([1])),
    ]

    @Test(arguments: p256)
    func `a bad P-256 key is refused at registration`(tampering: KeyTampering) throws {
        try expectRefusal(of: tampering, .es256)
    }

    @Test(arguments: ed25519)
    func `a bad Ed25519 key is refused at registration`(tampering: KeyTampering) throws {
        try expectRefusal(of: tampering, .edDSA)
    }

    @Test(arguments: rsa)
    func `a bad RSA key is refused at registration`(tampering: KeyTampering) throws {
        try expectRefusal(of: tampering, .rs256)
    }

    private func expectRefusal(of tampering: KeyTampering, _ algorithm: SigningKey.Algorithm) throws {
        var site = Site()
        site.settings.algorithms = [algorithm]
        _ = try site.register()
        let alterations = Alterations { $0.coseKey = tampering.change }
        #expect(throws: WebAuthnError.keyInvalid(tampering.expected)) { try site.register(altering: alterations) }
    }

    /// What the CBOR reader refuses, it refuses inside authenticator data.
    static let malformed = [
        KeyTampering("x twice", .parameters) { key in
            guard case .map(let entries) = key else { return }
            key = .map(entries + [entries[3]])
        },
        KeyTampering("an algorithm in nine bytes", .parameters, 3, .raw([0x3B, 0, 0, 0, 0, 0, 0, 0, 6])),
        KeyTampering("a break for a value", .parameters, 3, .raw([0xFF])),
        KeyTampering("x of 2^64-1 bytes", .parameters, -2, .raw([0x5B] + [UInt8](repeating: 0xFF, count: 8))),
    ]

    @Test(arguments: malformed)
    func `a key that is no canonical CBOR is refused at registration`(tampering: KeyTampering) throws {
        let site = Site()
        let alterations = Alterations { $0.coseKey = tampering.change }
        #expect {
            try site.register(altering: alterations)
        } throws: { error in
            if case WebAuthnError.malformedAuthenticatorData = error { true } else { false }
        }
    }

    @Test func `bytes after a key are refused`() {
        let encoded = SigningKey(.es256).coseKey.encoded
        #expect(throws: COSEKeyFault.malformed(WireFault(.trailingBytes(1), at: encoded.count))) {
            try COSEKey(parsing: encoded + [0])
        }
    }

    @Test func `a megabit of RSA is refused before any work`() {
        var key = SigningKey.sharedRSA.coseKey
        key.set(.int(-1), to: .bytes([UInt8](repeating: 0xFF, count: 1 << 17)))
        let encoded = key.encoded
        #expect(throws: COSEKeyFault.unsound(.modulus(bits: 1 << 20))) { try COSEKey(parsing: encoded) }
    }

    @Test func `an algorithm that is offered but not supported is refused, not trusted`() throws {
        var site = Site()
        let authenticator = SoftAuthenticator()
        site.registrationExpectation.algorithms.append(COSEAlgorithm(rawValue: -46))
        let alterations = Alterations { $0.coseKey = { $0.set(.int(3), to: .int(-46)) } }
        #expect(throws: WebAuthnError.keyInvalid(.unsupportedAlgorithm)) {
            try site.register(authenticator, altering: alterations)
        }
    }
}
