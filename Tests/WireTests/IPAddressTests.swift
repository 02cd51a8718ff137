import Testing
import Wire

struct IPAddressTests {
    @Test(arguments: [
        ("0.0.0.0", "0.0.0.0"), ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::A", "2001:db8::a"),
        ("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::FFFF:c000:0201", "192.0.2.1"), ("::1.2.3.4", "::102:304"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
    ])
    func `an address has many spellings and one that we write`(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(arguments: [
        "", " ", ".", ":", ":::", "::::", "1", "127.1", "127.0.1", "1.2.3.4.5", "1.2.3", "1.2.3.", ".1.2.3", "1..2.3",
        "01.2.3.4", "1.2.3.04", "0x7f.0.0.1", "256.0.0.1", "1.2.3.1000", "1.2.3.-4", "1.2.3.+4", "2130706433",
        " 127.0.0.1", "127.0.0.1 ", "127.0.0.1\n", "127.0.0.1\u{0}", "127.0.0.1:80", "127.0.0.1/32", "１.2.3.4",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2::3", ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:", "1:", ":1", "12345::", "g::", "::1%eth0", "[::1]", "::1.2.3", "::1.2.3.4:5", "1.2.3.4::",
        "::01.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::ffff:1.2.3.256", "::-1", "::+1",
        "0000:0000:0000:0000:0000:0000:0000:00001",
    ])
    func `anything else is refused`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `an endless text is refused without being read`() {
        #expect(IPAddress(String(repeating: "0", count: 1_000_000)) == nil)
    }

    @Test func `a mapped address is the IPv4 address`() {
        #expect(IPAddress("::ffff:10.0.0.1") == IPAddress("10.0.0.1"))
        #expect(IPAddress("::ffff:10.0.0.1")?.isIPv4 == true)
        #expect(IPAddress("::fffe:a00:1")?.isIPv4 == false)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true),
        ("128.0.0.1", false), ("10.0.0.1", false), ("::2", false), ("::", false),
    ])
    func `loopback is told from the rest`(text: String, isLoopback: Bool) {
        #expect(IPAddress(text)?.isLoopback == isLoopback)
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("::ffff:192.0.2.7", "192.0.2.7"),
    ])
    func `attempts are counted by IPv4 address and by IPv6 customer`(text: String, key: String) {
        #expect(IPAddress(text)?.throttleKey == IPAddress(key))
    }

    @Test func `groups and bits go both ways`() throws {
        let address = try #require(IPAddress("2001:db8::ff00:42:8329"))
        #expect(address.groups == [0x2001, 0xDB8, 0, 0, 0, 0xFF00, 0x42, 0x8329])
        #expect(IPAddress(groups: address.groups) == address)
        #expect(IPAddress(groups: [1, 2, 3]) == nil)
        #expect(IPAddress(ipv4: 0xC000_0201).description == "192.0.2.1")
        #expect(IPAddress("192.0.2.1")?.ipv4 == 0xC000_0201)
        #expect(address.ipv4 == nil)
    }
}

struct IPNetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"), ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
        ("192.0.2.128/25", "192.0.2.255", "192.0.2.127"), ("::1/128", "::1", "::2"), ("::1", "::1", "127.0.0.1"),
        ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
        ("2001:db8:0:8000::/49", "2001:db8:0:ffff::", "2001:db8::"),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", "2001:db8::8000:0:0:1"), ("0.0.0.0/0", "255.1.1.1", "::1"),
        ("::/0", "ffff::", "10.0.0.1"), ("::ffff:10.0.0.0/104", "10.9.9.9", "11.0.0.0"),
    ])
    func `a network has insides and outsides`(text: String, inside: String, outside: String) throws {
        let network = try #require(IPNetwork(text))
        #expect(network.contains(try #require(IPAddress(inside))))
        #expect(!network.contains(try #require(IPAddress(outside))))
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8/8",
        "10.0.0.0/ 8", "10.1.0.0/8", "10.0.0.1/31", "::1/127", "2001:db8::1/64", "::/129", "::/1000", "10/8",
        "::ffff:10.0.0.0/8", "10.0.0.0/255.0.0.0", "10.0.0.0/８",
    ])
    func `a length out of range or a stray host bit is refused`(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test func `a network is written with its length`() {
        #expect(IPNetwork("10.0.0.0/8")?.description == "10.0.0.0/8")
        #expect(IPNetwork("::1")?.description == "::1/128")
    }
}
