import Testing

@testable import RecoveryCodesProvider

/// Each digit is as likely as the others, whatever the rest: a slip of an index once made digits depend on each other
/// elsewhere (pocket-id 96fac693).
struct RecoveryCodeRandomnessTests {
    /// Digits are as likely as each other in every place, and pairs of digits in every two places; no two codes are equal.
    private static func faults(in codes: [[UInt8]]) -> [String] {
        let length = RecoveryCode.length
        let values = codes.map { code in code.map { Self.values[Int($0)] } }
        var faults = Set(codes).count == codes.count ? [] : ["two codes are equal"]
        for left in 0..<length {
            for right in left..<length {
                let cells = left == right ? 32 : 1024
                var counts = [Int](repeating: 0, count: cells)
                for code in values { counts[left == right ? code[left] : code[left] << 5 | code[right]] += 1 }
                let expected = Double(codes.count) / Double(cells)
                let statistic = counts.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
                if statistic > limit(degrees: Double(cells - 1)) { faults.append("places \(left), \(right)") }
            }
        }
        return faults
    }

    /// The place of each ASCII digit in the alphabet.
    private static let values: [Int] = {
        var values = [Int](repeating: 0, count: 256)
        for (value, digit) in "0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8.enumerated() { values[Int(digit)] = value }
        return values
    }()

    /// What chi-square passes once in a thousand million times (Wilson and Hilferty's approximation).
    private static func limit(degrees: Double) -> Double {
        let spread = 2 / (9 * degrees)
        let root = 1 - spread + 6 * spread.squareRoot()
        return degrees * root * root * root
    }

    @Test func `100 000 codes are uniform in every place and between every two, and all different`() {
        #expect(Self.faults(in: (0..<100_000).map { _ in RecoveryCode.random().digits }) == [])
    }

    @Test func `what the test is to find, it finds`() {
        let codes = (0..<20_000).map { _ in RecoveryCode.random().digits }
        // In one place half of the sevens are eights, as what stands before decides.
        let biased = codes.map { code in
            var code = code
            if code[5] == UInt8(ascii: "7"), code[4] < UInt8(ascii: "G") { code[5] = UInt8(ascii: "8") }
            return code
        }
        #expect(!Self.faults(in: biased).isEmpty)
        let repeating = codes.map { Array($0.prefix(15)) + [$0[0]] }
        #expect(Self.faults(in: repeating) == ["places 0, 15"])
        #expect(Self.faults(in: codes + codes.prefix(1)) == ["two codes are equal"])
    }
}
