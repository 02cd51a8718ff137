import Foundation
import Testing

/// Every input that is kept goes through the parser it was kept for, in every run of the tests.
@Suite struct `The corpus of the fuzzers` {
    @Test(arguments: FuzzTarget.allCases)
    func `stops no parser`(target: FuzzTarget) throws {
        let inputs = try Corpus.inputs(for: target)
        #expect(!inputs.isEmpty)
        inputs.forEach(target.run)
    }

    @Test(arguments: FuzzTarget.allCases)
    func `stops none when it ends early or a bit is wrong`(target: FuzzTarget) throws {
        for input in try Corpus.inputs(for: target) where input.count <= 1_024 {
            for index in input.indices {
                target.run(Array(input[..<index]))
                var flipped = input
                flipped[index] ^= 1 << UInt8(index % 8)
                target.run(flipped)
            }
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `has large inputs that stop none`(target: FuzzTarget) {
        target.largeInputs.forEach(target.run)
    }
}

enum Corpus {
    static func inputs(for target: FuzzTarget) throws -> [[UInt8]] {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Corpus/\(target.rawValue)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.map { Array(try Data(contentsOf: $0)) }
    }
}
