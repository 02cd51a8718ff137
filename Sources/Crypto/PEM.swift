import Wire

/// The text form of certificates and keys (RFC 7468).
public enum PEM {
    /// The certificates of a text, in their order; what stands around them is ignored.
    ///
    /// - Returns: `nil` if one of them has no end, or isn't base64.
    public static func certificates(in text: String) -> [[UInt8]]? { bodies(labelled: "CERTIFICATE", in: text) }

    /// What stands between the lines of a label, in its order; what stands around them is ignored.
    ///
    /// - Returns: `nil` if one of them has no end, or isn't base64.
    static func bodies(labelled label: String, in text: String) -> [[UInt8]]? {
        let (begin, end) = ("-----BEGIN \(label)-----", "-----END \(label)-----")
        var bodies: [[UInt8]] = []
        var body: String?
        for line in text.split(whereSeparator: \.isNewline).map({ $0.filter { !$0.isWhitespace } }) {
            switch line {
            case begin.filter({ !$0.isWhitespace }): body = ""
            case end.filter({ !$0.isWhitespace }):
                guard let encoded = body, let bytes = decode(encoded) else { return nil }
                bodies.append(bytes)
                body = nil
            default: body?.append(contentsOf: line)
            }
        }
        return body == nil ? bodies : nil
    }

    private static func decode(_ base64: String) -> [UInt8]? {
        let digits = base64.reversed().drop { $0 == "=" }.reversed()
        return Base64URL(String(digits.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))?.bytes
    }
}
