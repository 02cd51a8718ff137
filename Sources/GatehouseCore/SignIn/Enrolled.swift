import GatehouseKit

/// What an enrolment transaction leaves to do once it is durable.
struct Enrolled: Sendable {
    let account: Account
    let credential: StoredCredential
    let all: [StoredCredential]
    let issued: IssuedSession?
    let ended: [TokenDigest]
    /// Whether another credential had to give way.
    let hasReplaced: Bool

    func ending(_ more: [TokenDigest]) -> Enrolled {
        Enrolled(
            account: account,
            credential: credential,
            all: all,
            issued: issued,
            ended: ended + more,
            hasReplaced: hasReplaced
        )
    }
}

extension AuditEvent {
    static func enrolled(
        _ credential: StoredCredential,
        action: Action = .credentialEnrolled,
        session: SessionID?,
        origin: RequestOrigin,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now,
            action: action,
            account: credential.record.account,
            credential: credential.id,
            session: session,
            kind: credential.kind,
            address: origin.address,
            requestID: origin.requestID
        )
    }
}
