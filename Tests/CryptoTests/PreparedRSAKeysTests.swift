import GatehouseTesting
import Synchronization
import Testing

@testable import Crypto

struct PreparedRSAKeysTests {
    /// A key apart from others by its exponent.
    private static func numbers(_ index: Int) -> RSANumbers {
        RSANumbers(modulus: SigningKey.sharedRSA.modulus, exponent: UInt64(65_537 + 2 * index))
    }

    @Test func `a key is kept for the same numbers, and for no others`() throws {
        let keys = PreparedRSAKeys(capacity: 4)
        let first = try #require(keys.key(Self.numbers(0)))
        #expect(keys.key(Self.numbers(0)) === first)
        #expect(keys.key(Self.numbers(1)) !== first)
        var modulus = SigningKey.sharedRSA.modulus
        modulus[100] ^= 1
        #expect(keys.key(RSANumbers(modulus: modulus, exponent: 65_537)) !== first)
    }

    @Test func `of keys that aren't used again, no more are kept than the capacity`() throws {
        let keys = PreparedRSAKeys(capacity: 4)
        let kept = try (0..<20).map { try Weak(#require(keys.key(Self.numbers($0)))) }
        #expect((1...4).contains(kept.count { $0.key != nil }))
        #expect(kept.last?.key != nil)
    }

    @Test func `a key that is used again stays`() throws {
        let keys = PreparedRSAKeys(capacity: 4)
        let first = Weak(try #require(keys.key(Self.numbers(0))))
        for index in 1..<20 {
            _ = keys.key(Self.numbers(index))
            #expect(keys.key(Self.numbers(0)) === first.key)
        }
    }

    @Test func `many threads get keys that verify`() async throws {
        let signer = SigningKey.sharedRSA
        let message = Array("message".utf8)
        let good = signer.sign(message)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for index in 0..<50 {
                        _ = PreparedRSAKeys.recent.key(Self.numbers(index))
                        let key = try? RSAPublicKey(modulus: signer.modulus, exponent: [1, 0, 1])
                        #expect(key?.isValid(signature: good, over: message) == true)
                    }
                }
            }
        }
    }

    @Test(arguments: [UInt64(65_537), 65_539, 0x1_0000_0001, 0xFFFF_FFFF_FFFF_FFFF])
    func `powers are those of the exponent`(exponent: UInt64) throws {
        // 2 to the power of e is e doublings, modulo the modulus: checked with a modulus of 2^2048 - 1, where it is a shift.
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        let key = try #require(PreparedRSAKey(RSANumbers(modulus: modulus, exponent: exponent)))
        let shift = Int(exponent % 2048)
        var expected = [UInt8](repeating: 0, count: 256)
        expected[255 - shift / 8] = 1 << UInt8(shift % 8)
        #expect(key.power(of: [UInt8](repeating: 0, count: 255) + [2]) == expected)
    }
}

private struct Weak {
    private(set) weak var key: PreparedRSAKey?
    init(_ key: PreparedRSAKey) { self.key = key }
}
