/// Changes bytes as a fuzzer would, and the same ones every time.
public struct Mutator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// SplitMix64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The bytes with one to four changes: bits, bytes that are often lengths, and parts cut out, repeated or moved.
    public mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0...255, using: &self)) }
        let place = Int.random(in: bytes.indices, using: &self)
        let end = min(bytes.count, place + Int.random(in: 1...64, using: &self))
        switch Int.random(in: 0..<8, using: &self) {
        case 0, 1, 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 3: bytes[place] = [0x00, 0x7F, 0x80, 0x81, 0x84, 0xFF].randomElement(using: &self) ?? 0
        case 4: bytes[place] = UInt8.random(in: 0...255, using: &self)
        case 5: bytes.removeSubrange(place..<end)
        case 6: bytes.insert(contentsOf: bytes[place..<end], at: place)
        default: bytes.replaceSubrange(place..<end, with: bytes[place..<end].reversed())
        }
    }
}
