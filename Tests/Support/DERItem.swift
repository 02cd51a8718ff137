/// An element of DER to be encoded as it stands, badly made ones included.
public indirect enum DERItem: Sendable {
    case element(tag: UInt8, [UInt8])
    case constructed(tag: UInt8, [DERItem])
    /// Bytes put in as they are.
    case raw([UInt8])

    public static func sequence(_ items: DERItem...) -> DERItem { .constructed(tag: 0x30, items) }
    public static func set(_ items: DERItem...) -> DERItem { .constructed(tag: 0x31, items) }
    public static func integer(_ digits: UInt8...) -> DERItem { .element(tag: 0x02, digits) }
    public static func octets(_ bytes: [UInt8]) -> DERItem { .element(tag: 0x04, bytes) }
    public static func bits(_ bytes: [UInt8]) -> DERItem { .element(tag: 0x03, [0] + bytes) }
    public static func boolean(_ flag: Bool) -> DERItem { .element(tag: 0x01, [flag ? 0xFF : 0x00]) }
    public static func utf8(_ text: String) -> DERItem { .element(tag: 0x0C, Array(text.utf8)) }
    public static func name(_ encoded: [UInt8]) -> DERItem { .element(tag: 0x06, encoded) }
    public static func time(_ text: String) -> DERItem { .element(tag: 0x18, Array(text.utf8)) }
    public static func explicit(_ number: UInt8, _ item: DERItem) -> DERItem {
        .constructed(tag: 0xA0 | number, [item])
    }

    public var encoded: [UInt8] {
        switch self {
        case .element(let tag, let content): [tag] + Self.length(content.count) + content
        case .constructed(let tag, let items):
            DERItem.element(tag: tag, items.flatMap(\.encoded)).encoded
        case .raw(let bytes): bytes
        }
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        let digits = (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }.drop { $0 == 0 }
        return [0x80 | UInt8(digits.count)] + digits
    }
}
