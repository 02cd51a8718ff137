import Synchronization

/// The RSA keys used last, as libcrypto made them ready.
///
/// A third of the work on a signature (10 of 31 µs at 2048 bits, measured with OpenSSL 3.0) is a constant of the modulus.
/// A key that comes again is spared it; of those that don't, no more than the capacity are kept.
final class PreparedRSAKeys: Sendable {
    /// A key of 2048 bits takes 2 KiB, one of 8192 bits four times as much.
    static let recent = PreparedRSAKeys(capacity: 512)

    private let generations = Mutex(Generations())
    private let generationSize: Int

    init(capacity: Int) { generationSize = capacity / 2 }

    /// - Returns: `nil` if libcrypto has no memory.
    func key(_ numbers: RSANumbers) -> PreparedRSAKey? {
        if let kept = generations.withLock({ $0.find(numbers, size: generationSize) }) { return kept }
        // Not under the lock, where others would wait for it.
        guard let key = PreparedRSAKey(numbers) else { return nil }
        generations.withLock { $0.keep(key, size: generationSize) }
        return key
    }
}

/// Keys of this generation, and those of the one before that nobody has asked for since.
private struct Generations {
    private var young: [RSANumbers: PreparedRSAKey] = [:]
    private var old: [RSANumbers: PreparedRSAKey] = [:]

    mutating func find(_ numbers: RSANumbers, size: Int) -> PreparedRSAKey? {
        if let key = young[numbers] { return key }
        guard let key = old.removeValue(forKey: numbers) else { return nil }
        keep(key, size: size)
        return key
    }

    mutating func keep(_ key: PreparedRSAKey, size: Int) {
        if young.count >= size {
            old = young
            young = [:]
        }
        young[key.numbers] = key
    }
}
