#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Bytes that are written as base64url without padding (RFC 4648 §5), as everything binary is in the gateway's JSON.
public struct Base64URLData: Codable, Hashable, Sendable {
    public let bytes: Data

    public init(_ bytes: Data) { self.bytes = bytes }

    public init?(_ text: String) {
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard !text.contains(where: { "+/=".contains($0) }), let bytes = Data(base64Encoded: standard + padding) else {
            return nil
        }
        self.bytes = bytes
    }

    public var text: String {
        String(
            bytes.base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let data = Base64URLData(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not base64url"))
        }
        self = data
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
