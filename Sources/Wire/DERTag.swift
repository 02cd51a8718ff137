/// What kind of element follows in DER (ITU-T X.690 §8.1.2).
public struct DERTag: Hashable, Sendable {
    public enum Domain: UInt8, Sendable {
        case universal = 0x00
        case application = 0x40
        case contextSpecific = 0x80
        case `private` = 0xC0
    }

    public let domain: Domain
    public let isConstructed: Bool
    public let number: UInt32

    public init(_ domain: Domain, isConstructed: Bool, _ number: UInt32) {
        self.domain = domain
        self.isConstructed = isConstructed
        self.number = number
    }

    public static let boolean = DERTag(.universal, isConstructed: false, 1)
    public static let integer = DERTag(.universal, isConstructed: false, 2)
    public static let bitString = DERTag(.universal, isConstructed: false, 3)
    public static let octetString = DERTag(.universal, isConstructed: false, 4)
    public static let null = DERTag(.universal, isConstructed: false, 5)
    public static let objectIdentifier = DERTag(.universal, isConstructed: false, 6)
    public static let enumerated = DERTag(.universal, isConstructed: false, 10)
    public static let utf8String = DERTag(.universal, isConstructed: false, 12)
    public static let printableString = DERTag(.universal, isConstructed: false, 19)
    public static let sequence = DERTag(.universal, isConstructed: true, 16)
    public static let set = DERTag(.universal, isConstructed: true, 17)

    /// `[number]` around another element.
    public static func explicit(_ number: UInt32) -> DERTag {
        DERTag(.contextSpecific, isConstructed: true, number)
    }

    /// `[number]` in place of the tag of a string.
    public static func implicit(_ number: UInt32) -> DERTag {
        DERTag(.contextSpecific, isConstructed: false, number)
    }
}
