/// An IPv4 or IPv6 address.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) *is* the IPv4 address: a dual-stack socket reports every IPv4 peer
/// in that form, and a rule or a throttle must not see two visitors where there is one.
public struct IPAddress: Hashable, Sendable {
    /// The 128 bits in network order; IPv4 in its mapped form.
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter ipv4: The 32 bits, the first octet being the most significant.
    public init(ipv4: UInt32) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(ipv4))
    }

    /// - Parameter groups: Eight groups of 16 bits; anything but eight is `nil`.
    public init?(groups: [UInt16]) {
        guard groups.count == 8 else { return nil }
        self.init(high: Self.joined(groups.prefix(4)), low: Self.joined(groups.suffix(4)))
    }

    private static func joined(_ groups: ArraySlice<UInt16>) -> UInt64 {
        groups.reduce(0) { $0 << 16 | UInt64($1) }
    }

    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// 127.0.0.0/8 or `::1`.
    public var isLoopback: Bool {
        isIPv4 ? low & 0xFF00_0000 == 0x7F00_0000 : high == 0 && low == 1
    }

    /// The address that attempts are counted under: itself for IPv4, the first address of its /64 for IPv6.
    ///
    /// A /64 is what one customer gets; whoever has one has 2^64 addresses to try from.
    public var throttleKey: IPAddress {
        isIPv4 ? self : IPAddress(high: high, low: 0)
    }

    /// The 32 bits, or `nil` for IPv6.
    public var ipv4: UInt32? {
        isIPv4 ? UInt32(truncatingIfNeeded: low) : nil
    }

    /// Eight groups of 16 bits; IPv4 in its mapped form.
    public var groups: [UInt16] {
        [high, low].flatMap { word in
            [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: word >> $0) }
        }
    }
}
