import CAllocations

/// How often work asks for memory, libcrypto's work included.
enum Allocations {
    private static let repetitions: UInt = 1_000

    /// The mean of many runs, rounded; nothing else may run meanwhile.
    static func count(in work: () throws -> Void) throws -> UInt {
        for _ in 0..<repetitions { try work() }
        let before = allocation_count()
        for _ in 0..<repetitions { try work() }
        return (allocation_count() - before + repetitions / 2) / repetitions
    }
}
