import Crypto
import Testing
import Wire

struct DigestTests {
    @Test func `SHA-256 gives the digest of FIPS 180-4's example`() {
        let digest = SHA256.hash(Array("abc".utf8))
        #expect(Base64URL(bytes: digest).text == "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
    }

    @Test func `HMAC gives the code of RFC 4231's second case`() {
        let code = HMAC256(key: Array("Jefe".utf8)).code(for: Array("what do ya want for nothing?".utf8))
        #expect(code.prefix(4) == [0x5B, 0xDC, 0xC1, 0x46])
        #expect(code.suffix(4) == [0x64, 0xEC, 0x38, 0x43])
    }

    @Test func `a key longer than a block is hashed first, as in RFC 4231's sixth case`() {
        let code = HMAC256(key: [UInt8](repeating: 0xAA, count: 131))
            .code(for: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        #expect(code.prefix(4) == [0x60, 0xE4, 0x31, 0x59])
    }

    @Test func `comparison sees a difference in any place`() {
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
    }

    @Test func `random bytes differ`() {
        #expect(Random.bytes(32) != Random.bytes(32))
        #expect(Random.bytes(0) == [])
    }
}
