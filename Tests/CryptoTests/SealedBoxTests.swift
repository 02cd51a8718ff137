import Crypto
import GatehouseTesting
import Testing

struct SealedBoxTests {
    /// NIST SP 800-38D's algorithm with the test case 16 of its authors (McGrew and Viega): key, nonce, context and all.
    @Test func `a box opens as the specification says`() throws {
        let box = try #require(SealedBox(key: hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")))
        let sealed = hex(
            "cafebabefacedbaddecaf888522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b10"
                + "56828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
        )
        let plain = hex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
                + "ba637b39"
        )
        #expect(box.open(sealed, for: hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")) == plain)
    }

    @Test func `what is sealed opens with the same key for the same purpose only`() throws {
        let (key, plain, purpose) = ([UInt8](0..<32), Array("secret".utf8), Array("purpose".utf8))
        let box = try #require(SealedBox(key: key))
        let sealed = try #require(box.seal(plain, for: purpose))
        #expect(box.open(sealed, for: purpose) == plain)
        #expect(box.open(sealed, for: Array("another".utf8)) == nil)
        #expect(SealedBox(key: [UInt8](1..<33))?.open(sealed, for: purpose) == nil)
        #expect(box.seal(plain, for: purpose) != sealed)
        for altered in Array(sealed.bitFlips) + Array(sealed.truncations) {
            #expect(box.open(altered, for: purpose) == nil)
        }
        let empty = try #require(box.seal([], for: []))
        #expect(box.open(empty, for: []) == [])
    }

    @Test(arguments: [0, 16, 31, 33]) func `a key has 32 bytes`(count: Int) {
        #expect(SealedBox(key: [UInt8](repeating: 1, count: count)) == nil)
    }

    private func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
