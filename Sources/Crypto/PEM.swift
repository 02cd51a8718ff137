import Wire

/// Certificates in the text form of RFC 7468.
public enum PEM {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The certificates of a text, in their order; what stands around them is ignored.
    ///
    /// - Returns: `nil` if one of them has no end, or isn't base64.
    public static func certificates(in text: String) -> [[UInt8]]? {
        var certificates: [[UInt8]] = []
        var body: String?
        for line in text.split(whereSeparator: \.isNewline).map({ $0.filter { !$0.isWhitespace } }) {
            switch line {
            case begin.filter({ !$0.isWhitespace }): body = ""
            case end.filter({ !$0.isWhitespace }):
                guard let encoded = body, let bytes = decode(encoded) else { return nil }
                certificates.append(bytes)
                body = nil
            default: body?.append(contentsOf: line)
            }
        }
        return body == nil ? certificates : nil
    }

    private static func decode(_ base64: String) -> [UInt8]? {
        let digits = base64.reversed().drop { $0 == "=" }.reversed()
        return Base64URL(String(digits.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))?.bytes
    }
}
