/// A range of addresses that share their first bits: `10.0.0.0/8`, `::1/128`.
public struct IPNetwork: Hashable, Sendable {
    /// The first address of the range.
    public let address: IPAddress

    /// Leading bits that every address of the range shares: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int

    /// - Returns: `nil` for a length out of range, and for an address with bits set beyond it: `10.1.0.0/8` is more
    ///   often a mistake than a wish.
    public init?(_ address: IPAddress, prefixLength: Int) {
        guard 0...(address.isIPv4 ? 32 : 128) ~= prefixLength else { return nil }
        self.address = address
        self.prefixLength = prefixLength
        guard masked(address) == address else { return nil }
    }

    public func contains(_ other: IPAddress) -> Bool {
        other.isIPv4 == address.isIPv4 && masked(other) == address
    }

    /// Whether every address of another range is in this one.
    public func contains(_ other: IPNetwork) -> Bool {
        other.prefixLength >= prefixLength && contains(other.address)
    }

    private func masked(_ address: IPAddress) -> IPAddress {
        let bits = prefixLength + (address.isIPv4 ? 96 : 0)
        return IPAddress(high: address.high & Self.mask(bits), low: address.low & Self.mask(bits - 64))
    }

    /// The first `bits` of 64 bits; none below zero, all above 64.
    private static func mask(_ bits: Int) -> UInt64 {
        bits <= 0 ? 0 : ~UInt64(0) << UInt64(max(0, 64 - bits))
    }
}

extension IPNetwork: LosslessStringConvertible {
    /// Reads `address/length`, or an address alone, which is a range of one.
    ///
    /// A mapped address (`::ffff:10.0.0.0/104`) is the IPv4 range, its length counted without the 96 bits before it.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(utf8: Array(first.prefix(64))) else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefixLength: address.isIPv4 ? 32 : 128)
            return
        }
        guard let written = Self.length(parts[1]) else { return nil }
        let isMapped = address.isIPv4 && first.contains(UInt8(ascii: ":"))
        self.init(address, prefixLength: isMapped ? written - 96 : written)
    }

    private static func length(_ digits: Substring.UTF8View) -> Int? {
        guard 1...3 ~= digits.count, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    public var description: String { "\(address)/\(prefixLength)" }
}
