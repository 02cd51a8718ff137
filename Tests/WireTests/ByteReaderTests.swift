import Testing
import Wire

struct ByteReaderTests {
    let bytes: [UInt8] = [0x01, 0x02, 0x03]

    @Test func `integers are read in network order`() throws {
        var reader = ByteReader(bytes.span)
        #expect(try reader.readInteger(UInt16.self, bytes.span) == 0x0102)
        #expect(try reader.readUInt8(bytes.span) == 3)
        try reader.finish()
    }

    @Test func `reading past the end is a fault and consumes nothing`() throws {
        var reader = ByteReader(bytes.span)
        #expect(throws: WireFault(.truncated(needed: 4, available: 3), at: 0)) {
            try reader.readInteger(UInt32.self, bytes.span)
        }
        #expect(reader.offset == 0)
    }

    @Test(arguments: [-1, Int.max, Int.min, 4])
    func `a length from outside can't move the cursor out of bounds`(count: Int) {
        var reader = ByteReader(bytes.span)
        #expect(throws: WireFault.self) { try reader.take(count, bytes.span) }
    }

    @Test func `bytes left over are a fault`() throws {
        var reader = ByteReader(bytes.span)
        _ = try reader.take(2, bytes.span)
        #expect(throws: WireFault(.trailingBytes(1), at: 2)) { try reader.finish() }
    }
}
