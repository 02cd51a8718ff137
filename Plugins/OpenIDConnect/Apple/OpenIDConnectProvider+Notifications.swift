public import GatehouseKit

extension OpenIDConnectProvider: NotifiedProvider {
    /// What Apple posts.
    public struct Notification: Decodable, Sendable {
        let payload: String
    }

    public var notificationPath: String? { kind == .apple ? "/apple/notifications" : nil }

    /// Verifies a notification as a token, with the keys that sign those.
    ///
    /// The same one may come twice, and whoever saw one could send it again: each counts only if it is newer than the link, and
    /// than the last that was heard of it.
    public func notice(_ notification: Notification) throws(SignInError) -> CredentialNotice? {
        let notification = try verified(notification)
        guard let event = notification.event else { return nil }
        let keys = issuer.keys(of: notification.subject, at: notification.issuer)
        guard let record = try found({ () throws(ProviderFault) in try record(under: keys) }) else { return nil }
        let identity = try found { () throws(ProviderFault) in try LinkedIdentity.decode(record.payload) }
        guard notification.at >= record.createdAt.milliseconds, notification.at > identity.noticedAt ?? 0 else {
            return nil
        }
        let changed = identity.noticing(event, at: notification.at)
        let payload = try found { () throws(ProviderFault) in try changed.encoded() }
        return CredentialNotice(
            account: record.account,
            credential: record.id,
            event: event,
            change: CredentialChange(payload: payload, version: record.version, isEssential: true)
        )
    }

    private func verified(_ notification: Notification) throws(SignInError) -> AppleNotification {
        let token = try judged { () throws(IDTokenFault) in
            let token = try SignedClaims(parsing: Array(notification.payload.utf8))
            try issuer.rules.check(token.algorithm)
            return token
        }
        let named = try found { () throws(ProviderFault) in
            try keys.keys(named: token.keyID, for: token.algorithm)
        }
        return try judged { () throws(IDTokenFault) in
            guard named.contains(where: { $0.isValid(signature: token.signature, over: token.signedBytes) }) else {
                throw .signature
            }
            return try AppleNotification(token, rules: issuer.rules, now: clock.now)
        }
    }
}
