import GatehouseKit
import Wire

/// What Apple tells about one person (Apple, "Processing changes for Sign in with Apple accounts").
struct AppleNotification {
    let subject: String
    let issuer: String
    /// `nil` for a kind that isn't known here; there may be more one day.
    let event: CredentialNotice.Event?
    /// When it happened, in milliseconds since 1970.
    let at: Int64

    /// - Parameter token: A signed set of claims; its signature is verified.
    /// - Throws: ``IDTokenFault`` unless it is a notification to us, of this time.
    init(_ token: SignedClaims, rules: IDTokenRules, now: Timestamp) throws(IDTokenFault) {
        let claims = ClaimReader(members: token.members)
        issuer = try claims.text("iss")
        try rules.check(issuer: issuer, audience: try claims.texts("aud"), authorizedParty: nil)
        let issuedAt = try claims.date("iat")
        let seconds = now.milliseconds / 1_000
        guard issuedAt <= seconds + IDTokenRules.skew else { throw .notYetValid }
        guard seconds < (try claims.optionalDate("exp") ?? seconds) + IDTokenRules.skew else { throw .expired }
        guard try !claims.text("jti").isEmpty else { throw .claims }
        let events = try Self.events(claims)
        subject = try events.text("sub")
        event = Self.event(try events.text("type"))
        // Told later than it happened, and not before; `iat` has no fractions.
        at = Self.time(events).map { min($0, issuedAt * 1_000 + 999) } ?? issuedAt * 1_000
    }

    /// JSON within a string.
    private static func events(_ claims: ClaimReader) throws(IDTokenFault) -> ClaimReader {
        let text = Array(try claims.text("events").utf8)
        do throws(WireFault) {
            return ClaimReader(members: try JSONMembers(parsing: text, takesUnpairedSurrogates: false))
        } catch { throw .malformed }
    }

    private static func event(_ type: String) -> CredentialNotice.Event? {
        switch type {
        case "consent-revoked": .consentRevoked
        // The first is in Apple's documentation, the second in what it sends.
        case "account-delete", "account-deleted": .issuerAccountDeleted
        case "email-enabled": .mailEnabled
        case "email-disabled": .mailDisabled
        default: nil
        }
    }

    /// Apple writes seconds in its documentation and milliseconds in what it sends; they are a thousand years apart.
    private static func time(_ events: ClaimReader) -> Int64? {
        guard case .integer(let time) = events.members["event_time"], time > 0 else { return nil }
        return time < 100_000_000_000 ? time * 1_000 : time
    }
}
