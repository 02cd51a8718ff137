extension FuzzTarget {
    static let largeInputSize = 65_536

    /// Inputs of 64 KiB that would cost most where work isn't linear: nesting, repetition, many members.
    var largeInputs: [[UInt8]] {
        units.map { head, unit in
            var input = Array(head.utf8)
            while input.count < Self.largeInputSize { input += unit }
            return Array(input.prefix(Self.largeInputSize))
        } + [manyMembers]
    }

    /// What stands once in front, and what is repeated behind it.
    private var units: [(head: String, unit: [UInt8])] {
        switch self {
        case .appAttest, .attestationObject, .authenticatorData, .cbor, .coseKey:
            [
                ("", [0x81]), ("", [0xA1, 0x00]), ("", [0xFF]), ("", [0x00]),
                ("", [0x9B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
            ]
        case .androidKeyDescription, .certificateChain, .der:
            [
                ("", [0x30, 0x00]), ("", [0x05, 0x00]), ("", [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF]), ("", [0x1F, 0xFF]),
            ]
        case .metadata:
            [
                ("{\"no\":1,\"nextUpdate\":\"2099-01-31\",\"entries\":[", Array("{\"statusReports\":[]},".utf8)),
                ("{\"entries\":", Array("[".utf8)), ("{\"entries\":[", Array("[{\"a\":".utf8)),
            ]
        case .idToken, .metadataSignature: [("", Array(".".utf8)), ("e30.", Array("A".utf8)), ("", Array("A".utf8))]
        case .keySet: [("{\"keys\":[", Array("{\"kid\":\"1\"},".utf8)), ("{\"keys\":", Array("[".utf8))]
        case .androidKeyStatus:
            [("{\"entries\":", Array("{\"a\":".utf8)), ("{\"entries\":{", Array("\"0\":{\"status\":\"\"},".utf8))]
        case .clientData, .strictJSON, .tokenClaims:
            [("", Array("[".utf8)), ("{\"a\":", Array("[{\"a\":".utf8)), ("\"", Array("\\ud800".utf8))]
        case .configuration:
            [
                ("", Array("[".utf8)), ("", Array("- ".utf8)), ("a: &a\n", Array("- *a\n".utf8)),
                ("", Array("? ".utf8)), ("{", Array("a: {".utf8)),
            ]
        case .csv:
            [("", Array("\"".utf8)), ("\"", Array("\n".utf8)), ("", Array(",".utf8)), ("", Array("\"\"\r\n".utf8))]
        case .cookieHeader:
            [("", Array(";".utf8)), ("", Array("id=1; ".utf8)), ("id=1", Array(" ".utf8)), ("", Array("a=b;".utf8))]
        case .passwordHash: [("", Array("$".utf8)), ("$argon2id$v=19$m=19456,t=2,p=1$", Array("AAAA".utf8))]
        case .pathPattern, .requestPath:
            [("", Array("/".utf8)), ("/", Array("%41".utf8)), ("", Array("/*".utf8)), ("", Array("/É".utf8))]
        case .url: [("https://", Array("a.".utf8)), ("https://[", Array("1:".utf8)), ("https://a/", Array("?\\".utf8))]
        }
    }

    /// Names that are all different, which invites comparing each with each.
    private var manyMembers: [UInt8] {
        switch self {
        case .clientData, .keySet, .metadata, .strictJSON, .tokenClaims:
            Array("{".utf8) + (0..<5_000).flatMap { Array("\"\($0)\":0,".utf8) } + Array("\"a\":0}".utf8)
        case .configuration: (0..<9_000).flatMap { Array("\($0):\n".utf8) }
        case .attestationObject, .cbor, .coseKey: Self.sortedMap
        case .der: Self.nestedSequences
        // Behind the fixed bytes, whose flags promise extensions.
        case .authenticatorData: [UInt8](repeating: 0, count: 32) + [0x81, 0, 0, 0, 0] + Self.sortedMap
        default: []
        }
    }

    /// Sequences in each other, sixteen thousand levels.
    private static var nestedSequences: [UInt8] {
        stride(from: largeInputSize, to: 260, by: -4).flatMap { size -> [UInt8] in
            let length = size - 4
            return [0x30, 0x82, UInt8(length >> 8), UInt8(length & 0xFF)]
        } + [UInt8](repeating: 0x05, count: 260)
    }

    /// A canonical map of 16 000 integers.
    private static var sortedMap: [UInt8] {
        [0xB9, 0x3E, 0x80] + (256..<16_256).flatMap { [0x19, UInt8($0 >> 8), UInt8($0 & 0xFF), 0] }
    }
}
