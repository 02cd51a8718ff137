/// One element of DER: a tag, and the bytes that its length counted.
public struct DERElement: Equatable, Sendable {
    public let tag: DERTag
    public let content: [UInt8]

    /// Decodes exactly one element: bytes after it are a fault.
    public init(parsing bytes: [UInt8]) throws(WireFault) {
        var reader = DERReader(bytes)
        self = try reader.next()
        try reader.finish()
    }

    init(tag: DERTag, content: [UInt8]) {
        self.tag = tag
        self.content = content
    }

    /// The elements within a constructed one, to be read in their order.
    public var elements: DERReader { DERReader(content) }
}

/// A reader of DER (ITU-T X.690 §10 and §11), for bytes that someone else wrote.
///
/// Definite lengths in their shortest form and tags in theirs, and nothing looser. It reads one level and never calls
/// itself: whoever knows the schema goes down as far as that goes. Lengths are compared with the bytes at hand before
/// anything is copied.
public struct DERReader: Sendable {
    private let bytes: [UInt8]
    private var reader: ByteReader

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        reader = ByteReader(bytes.span)
    }

    public var isAtEnd: Bool { reader.remaining == 0 }

    public var offset: Int { reader.offset }

    /// Reads the next element, whatever it is.
    public mutating func next() throws(WireFault) -> DERElement {
        let bytes = self.bytes
        let tag = try reader.readDERTag(bytes.span)
        let length = try reader.readDERLength(bytes.span)
        return DERElement(tag: tag, content: try reader.take(length, bytes.span))
    }

    /// Reads the next element, which has to be of this kind.
    public mutating func next(_ tag: DERTag) throws(WireFault) -> DERElement {
        let start = offset
        let element = try next()
        guard element.tag == tag else { throw WireFault(.notCanonical, at: start) }
        return element
    }

    /// Reads the next element if it is of this kind, and leaves anything else alone.
    public mutating func optional(_ tag: DERTag) throws(WireFault) -> DERElement? {
        guard !isAtEnd else { return nil }
        var ahead = self
        let element = try ahead.next()
        guard element.tag == tag else { return nil }
        self = ahead
        return element
    }

    /// Throws unless every byte was consumed.
    public func finish() throws(WireFault) { try reader.finish() }
}

extension ByteReader {
    fileprivate mutating func readDERTag(_ bytes: Span<UInt8>) throws(WireFault) -> DERTag {
        let start = offset
        let first = try readUInt8(bytes)
        guard let domain = DERTag.Domain(rawValue: first & 0xC0) else {
            throw WireFault(.unexpectedByte(first), at: start)
        }
        let short = UInt32(first & 0x1F)
        let number = short < 31 ? short : try readDERTagNumber(bytes)
        return DERTag(domain, isConstructed: first & 0x20 != 0, number)
    }

    /// Reads a tag number from 31 up, of two groups of seven bits at most: none here is above 16,383.
    private mutating func readDERTagNumber(_ bytes: Span<UInt8>) throws(WireFault) -> UInt32 {
        let start = offset
        let first = try readUInt8(bytes)
        if first < 0x80 {
            guard first >= 31 else { throw WireFault(.notCanonical, at: start) }
            return UInt32(first)
        }
        let second = try readUInt8(bytes)
        guard first != 0x80, second < 0x80 else { throw WireFault(.unexpectedByte(second), at: start) }
        return UInt32(first & 0x7F) << 7 | UInt32(second)
    }

    /// Reads a length of up to four bytes in its shortest form.
    fileprivate mutating func readDERLength(_ bytes: Span<UInt8>) throws(WireFault) -> Int {
        let start = offset
        let first = try readUInt8(bytes)
        if first < 0x80 { return Int(first) }
        let width = Int(first & 0x7F)
        guard (1...4).contains(width) else { throw WireFault(.unexpectedByte(first), at: start) }
        var length = 0
        for _ in 0..<width { length = length << 8 | Int(try readUInt8(bytes)) }
        guard length >= 0x80, length >> (8 * (width - 1)) > 0 else { throw WireFault(.notCanonical, at: start) }
        return length
    }
}
