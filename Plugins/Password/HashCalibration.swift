public import GatehouseKit

/// Finds the cost that takes a given time on this machine: as much memory as there is first, then passes (RFC 9106 §4).
public struct HashCalibration {
    /// How long one hash of a cost takes.
    private let measure: (HashCost) throws(ProviderFault) -> Duration

    /// Never less than this, however slow the machine.
    private static let least = HashCost()
    private static let step: UInt32 = 1_024

    /// Measures with real hashes, each the median of five.
    public init() {
        self.init { (cost) throws(ProviderFault) in
            var times: [Duration] = []
            for _ in 0..<5 {
                let begun = ContinuousClock.now
                _ = try Argon2.hash(Array("correct horse battery staple".utf8), cost: cost)
                times.append(begun.duration(to: .now))
            }
            return times.sorted()[2]
        }
    }

    init(measure: @escaping (HashCost) throws(ProviderFault) -> Duration) { self.measure = measure }

    public struct Result: Equatable, Sendable {
        public let cost: HashCost
        public let time: Duration
    }

    public func measured(_ cost: HashCost) throws(ProviderFault) -> Result {
        Result(cost: cost, time: try measure(cost))
    }

    /// The highest cost of one lane that takes `target` at most, or the least that is advisable if that takes longer.
    ///
    /// - Parameter memoryKiB: What one hash may take.
    public func cost(taking target: Duration, within memoryKiB: UInt32) throws(ProviderFault) -> Result {
        let least = try measured(Self.least)
        let most = max(min(memoryKiB, HashCost.ceiling.memoryKiB), Self.least.memoryKiB)
        let memory = scaled(Self.least.memoryKiB, by: target / least.time, in: Self.least.memoryKiB...most)
        let wide = try measured(HashCost(memoryKiB: memory - memory % Self.step, passes: Self.least.passes))
        guard wide.cost.memoryKiB > Self.least.memoryKiB else { return least }
        let passes = scaled(wide.cost.passes, by: target / wide.time, in: wide.cost.passes...HashCost.ceiling.passes)
        return try measured(HashCost(memoryKiB: wide.cost.memoryKiB, passes: passes))
    }

    private func scaled(_ value: UInt32, by factor: Double, in range: ClosedRange<UInt32>) -> UInt32 {
        let product = min(max(Double(value) * factor, Double(range.lowerBound)), Double(range.upperBound))
        return UInt32(product)
    }
}
