import GatehouseKit
import Testing

@testable import PasswordProvider

struct HashCalibrationTests {
    /// A machine that hashes so many MiB in a millisecond, in each pass.
    private func cost(onMachineOf speed: Double, target: Int, memoryMiB: UInt32) throws -> HashCost {
        let calibration = HashCalibration { cost in
            .microseconds(Int64(Double(cost.memoryKiB) / 1_024 * Double(cost.passes) / speed * 1_000))
        }
        return try calibration.cost(taking: .milliseconds(target), within: memoryMiB * 1_024).cost
    }

    @Test(arguments: [
        // speed, target in ms, share in MiB, memory and passes that follow
        (2.0, 100, UInt32(128), UInt32(100), UInt32(2)),
        (2.0, 100, 64, 64, 3),
        (8.0, 100, 64, 64, 10),
        (8.0, 200, 1_024, 256, 6),
        (2.0, 2_000, 32, 32, 10),
    ])
    func `memory goes first, then passes, within what a stored hash may cost`(
        speed: Double,
        target: Int,
        share: UInt32,
        memory: UInt32,
        passes: UInt32
    ) throws {
        let cost = try cost(onMachineOf: speed, target: target, memoryMiB: share)
        #expect((cost.memoryKiB / 1_024, cost.passes, cost.lanes) == (memory, passes, 1))
        #expect(cost.isWithin(.ceiling))
    }

    @Test(arguments: [(0.1, UInt32(128)), (2.0, 1)])
    func `a slow machine or a small share gets the least that is advisable`(speed: Double, share: UInt32) throws {
        #expect(try cost(onMachineOf: speed, target: 20, memoryMiB: share) == HashCost())
    }
}
