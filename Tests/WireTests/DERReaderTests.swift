import Testing
import Wire

struct DERReaderTests {
    @Test func `the elements of a sequence are read in order`() throws {
        var reader = try DERElement(parsing: [0x30, 0x06, 0x02, 0x01, 0x07, 0x01, 0x01, 0xFF]).elements
        #expect(try reader.next(.integer).unsignedInteger() == [7])
        #expect(try reader.next(.boolean).boolean())
        #expect(reader.isAtEnd)
        try reader.finish()
    }

    @Test func `an optional element that is another is left alone`() throws {
        var reader = DERReader([0x02, 0x01, 0x07])
        #expect(try reader.optional(.boolean) == nil)
        #expect(try reader.optional(.integer)?.smallNumber == 7)
        #expect(try reader.optional(.integer) == nil)
    }

    @Test(
        arguments: [
            ([0x9F, 0x1F, 0x00], 31), ([0xBF, 0x84, 0x58, 0x00], 600), ([0xBF, 0x85, 0x3E, 0x00], 702),
            ([0x9F, 0xFF, 0x7F, 0x00], 16_383),
        ] as [([UInt8], UInt32)]
    )
    func `a tag number above thirty takes one byte or two`(bytes: [UInt8], number: UInt32) throws {
        #expect(try DERElement(parsing: bytes).tag.number == number)
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x01], [0x30, 0x80, 0x00, 0x00], [0x30, 0x81, 0x00], [0x30, 0x81, 0x7F],
            [0x30, 0x82, 0x00, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00],
            [0x30, 0xFF], [0x30, 0x00, 0x00], [0x1F, 0x1E, 0x00], [0x1F, 0x80, 0x1F, 0x00],
            [0x1F, 0x81, 0x80, 0x01, 0x00],
            [0x1F], [0x1F, 0x81],
        ] as [[UInt8]]
    )
    func `anything but one element in its shortest form is refused`(bytes: [UInt8]) {
        #expect(throws: WireFault.self) { try DERElement(parsing: bytes) }
    }

    @Test(arguments: [[0x02, 0x00], [0x02, 0x01, 0x80], [0x02, 0x02, 0x00, 0x7F], [0x01, 0x01, 0x00]] as [[UInt8]])
    func `a number that is negative, padded or none is refused`(bytes: [UInt8]) throws {
        let element = try DERElement(parsing: bytes)
        #expect(throws: WireFault.self) { try element.unsignedInteger() }
    }

    @Test func `zero and numbers with the top bit are read`() throws {
        #expect(try DERElement(parsing: [0x02, 0x01, 0x00]).unsignedInteger() == [0])
        #expect(try DERElement(parsing: [0x02, 0x02, 0x00, 0x80]).unsignedInteger() == [0x80])
    }

    @Test(arguments: [[0x01, 0x01, 0x01], [0x01, 0x00], [0x01, 0x02, 0xFF, 0xFF]] as [[UInt8]])
    func `a truth value of another form is refused`(bytes: [UInt8]) throws {
        let element = try DERElement(parsing: bytes)
        #expect(throws: WireFault.self) { try element.boolean() }
    }

    @Test func `bits that are no whole bytes are refused`() throws {
        #expect(try DERElement(parsing: [0x03, 0x02, 0x00, 0xAA]).wholeBytes() == [0xAA])
        for bytes in [[0x03, 0x02, 0x04, 0xA0], [0x03, 0x00], [0x04, 0x01, 0x00]] as [[UInt8]] {
            let element = try DERElement(parsing: bytes)
            #expect(throws: WireFault.self) { try element.wholeBytes() }
        }
    }
}
