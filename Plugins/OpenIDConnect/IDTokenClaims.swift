import Wire

/// What an ID token says (OpenID Connect Core 1.0 §2 and §5.1).
public struct IDTokenClaims: Sendable {
    let issuer: String
    /// The only thing in it that names a person for good.
    let subject: String
    let audience: [String]
    let authorizedParty: String?
    /// Seconds since 1970, like the next two.
    let expiresAt: Int64
    let issuedAt: Int64
    let notBefore: Int64?
    let nonce: String?
    let name: String?
    let email: String?
    let isEmailVerified: Bool
    let isPrivateEmail: Bool

    /// In bytes (OpenID Connect Core 1.0 §2).
    static let subjectLengths = 1...255

    init(_ members: JSONMembers) throws(IDTokenFault) {
        let claims = ClaimReader(members: members)
        issuer = try claims.text("iss")
        subject = try claims.text("sub")
        guard Self.subjectLengths.contains(subject.utf8.count) else { throw .claims }
        audience = try claims.texts("aud")
        expiresAt = try claims.date("exp")
        issuedAt = try claims.date("iat")
        notBefore = try claims.optionalDate("nbf")
        nonce = try claims.optionalText("nonce")
        authorizedParty = try claims.optionalText("azp")
        name = claims.described("name")
        email = claims.described("email")
        isEmailVerified = claims.flag("email_verified")
        isPrivateEmail = claims.flag("is_private_email") || email.map(AppleRelay.isAddress) ?? false
    }
}

/// Addresses that Apple hands out in place of people's own.
enum AppleRelay {
    static func isAddress(_ email: String) -> Bool { email.lowercased().hasSuffix("@privaterelay.appleid.com") }
}

/// Reads claims by the types that they must have.
struct ClaimReader {
    let members: JSONMembers

    /// Up to the end of the year 9999; what is outside is no date that anybody meant.
    private static let dates: ClosedRange<Int64> = 0...253_402_300_799

    func text(_ name: String) throws(IDTokenFault) -> String {
        guard let text = try optionalText(name) else { throw .claims }
        return text
    }

    func optionalText(_ name: String) throws(IDTokenFault) -> String? {
        switch members[name] {
        case nil: return nil
        case .string(let text): return text
        default: throw .claims
        }
    }

    /// One string, or an array of them that isn't empty (RFC 7519 §4.1.3).
    func texts(_ name: String) throws(IDTokenFault) -> [String] {
        switch members[name] {
        case .string(let text): return [text]
        case .strings(let texts) where !texts.isEmpty: return texts
        default: throw .claims
        }
    }

    /// Whole seconds, in digits.
    func date(_ name: String) throws(IDTokenFault) -> Int64 {
        guard let date = try optionalDate(name) else { throw .claims }
        return date
    }

    func optionalDate(_ name: String) throws(IDTokenFault) -> Int64? {
        switch members[name] {
        case nil: return nil
        case .integer(let seconds) where Self.dates.contains(seconds): return seconds
        default: throw .claims
        }
    }

    /// What only describes a person; anything but a short text is as good as nothing.
    func described(_ name: String) -> String? {
        guard case .string(let text) = members[name], (1...320).contains(text.utf8.count) else { return nil }
        return text
    }

    /// Apple sends booleans as such or as strings, depending on the day.
    func flag(_ name: String) -> Bool { members[name] == .bool(true) || members[name] == .string("true") }
}
