import Wire

/// What the browser or the operating system says it asked the authenticator for.
///
/// WebAuthn Level 3 §5.8.1 (`#dictionary-client-data`), editor's draft of 2026-07-30. Members it doesn't name are
/// ignored, `tokenBinding` of earlier levels among them.
public struct CollectedClientData: Equatable, Sendable {
    public let type: String
    /// As it stands there: the base64url encoding of the challenge, if the response is a good one.
    public let challenge: String
    /// An origin in its serialisation, or the identifier of a native app.
    public let origin: String
    /// Absent reads as `false`, as clients of Level 1 don't send it.
    public let crossOrigin: Bool
    public let topOrigin: String?

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Decodes UTF-8, without one leading byte order mark, and parses one JSON object.
    ///
    /// Bytes that aren't UTF-8 are refused, where the specification's decoder would put U+FFFD in their place.
    public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
        let text = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        let members: JSONMembers
        do { members = try JSONMembers(parsing: text) } catch { throw .malformedClientData(error) }
        type = try Self.string(.type, in: members)
        challenge = try Self.string(.challenge, in: members)
        origin = try Self.string(.origin, in: members)
        crossOrigin = try Self.flag(.crossOrigin, in: members)
        topOrigin = members["topOrigin"] == nil ? nil : try Self.string(.topOrigin, in: members)
    }

    private static func string(_ member: ClientDataMember, in members: JSONMembers) throws(WebAuthnError) -> String {
        guard case .string(let text) = members[member.rawValue] else { throw .invalidClientData(member: member) }
        return text
    }

    private static func flag(_ member: ClientDataMember, in members: JSONMembers) throws(WebAuthnError) -> Bool {
        switch members[member.rawValue] {
        case nil: return false
        case .bool(let flag): return flag
        default: throw .invalidClientData(member: member)
        }
    }
}
