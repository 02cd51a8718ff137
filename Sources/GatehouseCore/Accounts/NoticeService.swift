public import GatehouseKit

/// Does what follows from an issuer's word about a credential.
///
/// Every call may block and is made on a worker lane.
public struct NoticeService: Sendable {
    private let storage: any Storage
    private let registry: ProviderRegistry
    private let sessions: SessionService
    private let clock: any Clock

    public init(storage: any Storage, registry: ProviderRegistry, sessions: SessionService, clock: any Clock) {
        self.storage = storage
        self.registry = registry
        self.sessions = sessions
        self.clock = clock
    }

    /// Takes a notification; one that changes nothing is no error, as it may come again.
    public func take<P: NotifiedProvider>(
        _ notification: P.Notification,
        for provider: P,
        from origin: RequestOrigin
    ) throws(SignInError) {
        guard let notice = try provider.notice(notification) else { return }
        let (kind, now) = (provider.kind, clock.now)
        let ended = try storage.write { [registry] writer -> [TokenDigest] in
            guard try writer.apply(notice.change, to: notice.credential) else {
                // Changed or gone meanwhile; whoever sent it sends it again.
                throw ProviderFault("note what an issuer said of a credential that changes", code: 0, kind: .overload)
            }
            try writer.append(.noticed(notice, kind, origin, at: now))
            guard notice.event.endsCredential else { return [] }
            try Self.remove(notice, kind, usable: registry.isUsable, origin, at: now, writer)
            return try writer.endSessions(.credential(notice.credential, except: nil))
        }
        sessions.cache.remove(ended)
    }

    /// Removes the credential, unless it is the last one that the account can sign in with.
    ///
    /// That one stays: it proves nothing until the person agrees once more at the issuer's, and then it is the only way back.
    private static func remove(
        _ notice: CredentialNotice,
        _ kind: CredentialKind,
        usable: (StoredCredential) -> Bool,
        _ origin: RequestOrigin,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws {
        let others = try writer.credentials(of: notice.account).filter { $0.id != notice.credential }
        guard others.contains(where: usable), try writer.delete(notice.credential) else { return }
        try writer.append(.noticed(notice, kind, origin, at: now, action: .credentialRemoved))
    }
}

extension AuditEvent {
    fileprivate static func noticed(
        _ notice: CredentialNotice,
        _ kind: CredentialKind,
        _ origin: RequestOrigin,
        at now: Timestamp,
        action: Action = .credentialNoticed
    ) -> AuditEvent {
        AuditEvent(
            at: now,
            action: action,
            account: notice.account,
            credential: notice.credential,
            kind: kind,
            code: notice.event.rawValue,
            address: origin.address,
            requestID: origin.requestID
        )
    }
}
