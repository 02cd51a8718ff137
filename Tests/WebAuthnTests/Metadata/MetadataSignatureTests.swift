import Crypto
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// Who may publish metadata.
struct MetadataSignatureTests {
    let site = MetadataSite()

    private func fault(_ read: () throws -> MetadataBLOB) -> MetadataFault? {
        do {
            _ = try read()
            return nil
        } catch { return error as? MetadataFault }
    }

    @Test(arguments: [SigningKey.Algorithm.es256, .rs256, .ps256])
    func `an issue is read that the publisher signed`(algorithm: SigningKey.Algorithm) throws {
        let publisher = MetadataPublisher(key: SigningKey(algorithm))
        let issue = try MetadataSite(publisher).issue(MetadataDraft([.init(aaguid: AttestationSite.aaguid)]))
        #expect(issue.number == 7 && issue.count == 1 && issue.unreadableCount == 0)
        // 2099-01-31.
        #expect(issue.nextUpdate == 4_073_500_800)
    }

    @Test func `white space around an issue is ignored`() throws {
        let text = try MetadataDraft().signed(by: site.publisher)
        #expect(try site.read(Array("\n".utf8) + text + Array(" \r\n".utf8)).number == 7)
    }

    @Test func `a stranger's signature is refused`() throws {
        let text = try MetadataDraft().signed(by: MetadataPublisher())
        #expect(fault { try site.read(text) } == .signer(.untrusted))
    }

    @Test func `a certificate that the same authority gave another host is refused`() throws {
        let elsewhere = MetadataSigner(site.publisher.anchors, host: "other.example.test")
        let text = try MetadataDraft().signed(by: site.publisher)
        #expect(fault { try MetadataBLOB(verifying: text, by: elsewhere, at: MetadataSite.time) } == .signer(.host))
        let anyone = MetadataSigner(site.publisher.anchors, host: nil)
        #expect(throws: Never.self) { try MetadataBLOB(verifying: text, by: anyone, at: MetadataSite.time) }
    }

    @Test func `certificates have to be valid at the time`() throws {
        let publisher = MetadataPublisher { $0.notAfter = "20260101000000Z" }
        let past = MetadataSite(publisher)
        let text = try MetadataDraft().signed(by: publisher)
        #expect(fault { try past.read(text) } == .signer(.expired))
        #expect(fault { try past.read(text, at: 0) } == .signer(.notYetValid))
        #expect(fault { try past.read(text, at: 1_750_000_000) } == nil)
    }

    @Test func `the FIDO Alliance is the one host under a root of GlobalSign`() throws {
        #expect(MetadataSigner.fidoAlliance.host == "mds.fidoalliance.org")
        let root = try #require(MetadataSigner.fidoAlliance.anchors.certificates.first)
        #expect(
            SHA256.hash(root.der)
                == Hexadecimal.bytes(of: "cbb522d7b7f127ad6a0113865bdf1cd4102e7d0759af635a7cf4720dc963c53b")
        )
    }

    @Test(arguments: [
        ("alg", JSONValue.string("none"), MetadataFault.algorithm), ("alg", .string("HS256"), .algorithm),
        ("alg", .string("RS256"), .algorithm), ("alg", .null, .header), ("x5c", .null, .header),
        ("x5c", .array([]), .header), ("x5c", .array([.string("?")]), .header),
        ("crit", .array([.string("exp")]), .header),
        ("x5c", .array([.string("AAAA")]), .signer(.certificate(.malformed(WireFault(.unexpectedByte(0), at: 0))))),
    ])
    func `a header that asks for something else is refused`(name: String, value: JSONValue, expected: MetadataFault)
        throws
    {
        let text = try MetadataDraft { $0.header = [name: value] }.signed(by: site.publisher)
        let found = fault { try site.read(text) }
        if case .signer = expected, case .signer(.certificate)? = found { return }
        #expect(found == expected)
    }

    @Test func `no bit of an issue can be turned, and none is missed`() throws {
        let text = try MetadataDraft([.init(aaguid: AttestationSite.aaguid)]).signed(by: site.publisher)
        #expect(throws: Never.self) { try site.read(text) }
        let expected = text.count
        // Every bit of every seventh byte, which reaches all three parts.
        for bit in 0..<8 {
            for index in stride(from: bit % 7, to: expected, by: 7) {
                var changed = text
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: MetadataFault.self) { try site.read(changed) }
            }
        }
    }

    @Test func `what is cut short or too long is refused`() throws {
        let text = try MetadataDraft().signed(by: site.publisher)
        for length in stride(from: 0, to: text.count, by: 11) {
            #expect(throws: MetadataFault.self) { try site.read(Array(text.prefix(length))) }
        }
        let size = MetadataBLOB.maximumSize + 1
        #expect(fault { try site.read([UInt8](repeating: 0x41, count: size)) } == .size(size))
    }
}
