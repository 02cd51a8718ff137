import Wire

/// The two numbers of an ECDSA signature, big-endian.
struct ECDSASignature {
    let r: [UInt8]
    let s: [UInt8]

    /// Splits `r‖s`, the form of JOSE and COSE (RFC 7518 §3.4).
    init?(raw bytes: [UInt8], scalarSize: Int) {
        guard bytes.count == 2 * scalarSize else { return nil }
        r = Array(bytes.prefix(scalarSize))
        s = Array(bytes.suffix(scalarSize))
    }

    /// Parses an `Ecdsa-Sig-Value` (RFC 3279 §2.2.3) in DER and in nothing looser, the form of WebAuthn (§6.5.5).
    ///
    /// The numbers are not compared with the order; verification does that.
    init?(der bytes: [UInt8], scalarSize: Int) {
        let span = bytes.span
        var reader = ByteReader(span)
        do throws(WireFault) {
            let length = try reader.readDERLength(tag: 0x30, span)
            guard length == reader.remaining else { return nil }
            guard let r = try reader.readDERScalar(size: scalarSize, span) else { return nil }
            guard let s = try reader.readDERScalar(size: scalarSize, span) else { return nil }
            try reader.finish()
            self.r = r
            self.s = s
        } catch {
            return nil
        }
    }
}

extension ByteReader {
    /// Reads a tag and a length of up to 255 bytes in its shortest form; no signature needs more.
    fileprivate mutating func readDERLength(tag: UInt8, _ bytes: Span<UInt8>) throws(WireFault) -> Int {
        let start = offset
        let found = try readUInt8(bytes)
        guard found == tag else { throw WireFault(.unexpectedByte(found), at: start) }
        let first = try readUInt8(bytes)
        if first < 0x80 { return Int(first) }
        guard first == 0x81 else { throw WireFault(.unexpectedByte(first), at: start) }
        let length = try readUInt8(bytes)
        guard length >= 0x80 else { throw WireFault(.notCanonical, at: start) }
        return Int(length)
    }

    /// Reads a positive INTEGER without superfluous zeros.
    ///
    /// - Returns: At most `size` bytes, or `nil` for a number that is negative, badly encoded or longer.
    fileprivate mutating func readDERScalar(size: Int, _ bytes: Span<UInt8>) throws(WireFault) -> [UInt8]? {
        var digits = try take(try readDERLength(tag: 0x02, bytes), bytes)
        guard let first = digits.first, first < 0x80 else { return nil }
        if first == 0 {
            digits.removeFirst()
            // A zero stands only before a byte whose top bit would read as a sign.
            guard let next = digits.first, next >= 0x80 else { return nil }
        }
        return digits.count <= size ? digits : nil
    }
}
