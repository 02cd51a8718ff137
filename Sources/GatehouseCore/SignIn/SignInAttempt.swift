import GatehouseKit

/// One presented credential on its way.
struct SignInAttempt: Sendable {
    let row: StoredCeremony
    let kind: CredentialKind
    /// The name that failures count against; none for what can't be guessed, so that nobody locks a passkey out.
    let guessed: Identifier?
    let origin: RequestOrigin

    var guess: Guess? { guessed.map { Guess(identifier: $0, kind: kind, source: origin.throttleKey) } }

    /// What a refusal may say.
    ///
    /// In a ceremony that names an account, all failures to prove it are one: they must not tell which accounts exist or
    /// what they have. The finer codes belong to discoverable ceremonies, and to devices, whose IDs nobody can guess.
    func toldApart(_ refusal: Refusal) -> Refusal {
        guard row.identifier != nil, refusal.code.outcome == .failed, refusal.code != .identifierMismatch,
            refusal.code != .trustedDeviceUnknown
        else { return refusal }
        return Refusal(.credentialRejected, refusal.reason)
    }

    func event(
        _ action: AuditEvent.Action,
        _ evidence: Evidence,
        session: SessionID?,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now,
            action: action,
            account: evidence.account,
            credential: evidence.credential,
            session: session,
            kind: kind,
            address: origin.address,
            requestID: origin.requestID
        )
    }

    /// - Parameters:
    ///   - named: Whose name was given.
    ///   - proved: What was proved all the same; it says more than a name.
    func refused(_ refusal: Refusal, of named: AccountID?, _ proved: Evidence?, at now: Timestamp) -> AuditEvent {
        .refused(
            refusal,
            .signInRefused,
            kind: kind,
            account: refusal.finding?.account ?? proved?.account ?? named ?? row.account,
            credential: refusal.finding?.credential ?? proved?.credential,
            origin: origin,
            at: now
        )
    }

    func flagged(
        _ anomaly: CredentialAnomaly,
        of credential: CredentialID,
        _ account: AccountID,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now,
            action: .credentialFlagged,
            account: account,
            credential: credential,
            kind: kind,
            code: anomaly.rawValue,
            reason: anomaly.reason.description,
            address: origin.address,
            requestID: origin.requestID
        )
    }

    /// Flags a credential whose response was refused.
    ///
    /// A record that changed meanwhile stays as it is; the event says it in any case.
    func keep(_ finding: CredentialFinding, at now: Timestamp, _ writer: any StorageWriter) throws {
        if let change = finding.change { _ = try writer.apply(change, to: finding.credential) }
        try writer.append(flagged(finding.anomaly, of: finding.credential, finding.account, at: now))
    }
}

/// What came of a credential that was right.
enum Settlement: Sendable {
    case signedIn(Completion)
    /// The ceremony that goes on.
    case secondFactor(StoredCeremony)
}

/// What a sign-in transaction leaves to do once it is durable.
struct Completion: Sendable {
    let account: Account
    let issued: IssuedSession
    let credentials: [StoredCredential]
    let ended: [TokenDigest]
    /// See ``GatehouseKit/Evidence/isFromOtherDevice``.
    let isFromOtherDevice: Bool
}
