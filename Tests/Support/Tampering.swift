public import FoundationEssentials
import Wire

extension [UInt8] {
    /// The same with one bit turned, for each bit.
    public var bitFlips: some Sequence<[UInt8]> {
        (0..<count * 8).lazy.map { bit in
            var bytes = self
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
    }

    /// The first bytes only, for each number of them but all.
    public var truncations: some Sequence<[UInt8]> { (0..<count).lazy.map { Array(prefix($0)) } }
}

/// A member of a credential that may not change by a bit.
public struct SealedMember: Sendable {
    public enum Encoding: Sendable {
        /// UTF-8 text.
        case text
        case base64URL
    }

    /// Where it stands; in several places if it is repeated.
    let paths: [[String]]
    let encoding: Encoding
    /// Whether it may not turn up in an error or a log line.
    let isSecret: Bool

    /// - Parameter paths: Names within names, joined by dots: `response.id`.
    public init(_ paths: String..., encoding: Encoding = .base64URL, isSecret: Bool = false) {
        self.paths = paths.map { $0.split(separator: ".").map(String.init) }
        self.encoding = encoding
        self.isSecret = isSecret
    }

    /// The bytes that it has in a credential.
    func bytes(in credential: JSONValue) -> [UInt8] {
        guard let text = paths.first.flatMap({ credential[$0]?.string }) else { return [] }
        switch encoding {
        case .text: return Array(text.utf8)
        case .base64URL: return Base64URL(text)?.bytes ?? []
        }
    }

    /// The credential with other bytes in every place; `nil` for bytes that aren't text where text is wanted.
    func replaced(by bytes: [UInt8], in credential: JSONValue) -> JSONValue? {
        let text: String? =
            switch encoding {
            case .text: String(validating: bytes, as: UTF8.self)
            case .base64URL: Base64URL(bytes: bytes).text
            }
        guard let text else { return nil }
        return paths.reduce(into: credential) { $0[$1] = .string(text) }
    }

    /// The credential with each bit of the member turned, and with each shorter form of it.
    func alterations(of credential: JSONValue) -> some Sequence<JSONValue> {
        let bytes = bytes(in: credential)
        return (Array(bytes.bitFlips) + Array(bytes.truncations)).lazy.compactMap { replaced(by: $0, in: credential) }
    }
}

extension JSONValue {
    /// As bytes, its members in alphabetical order.
    public var encoded: Data { get throws { try Self.encode(self) } }

    public static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    public init(parsing data: Data) throws { self = try JSONDecoder().decode(JSONValue.self, from: data) }

    public init(encoding value: some Encodable) throws { try self.init(parsing: Self.encode(value)) }
}
