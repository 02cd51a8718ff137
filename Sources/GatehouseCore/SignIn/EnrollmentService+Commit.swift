import GatehouseKit

extension EnrollmentService {
    /// The one transaction: the ceremony is used up, the account and the credential stored, the session opened; or none.
    func commit<P: EnrollingProvider>(
        _ new: NewCredential,
        _ provider: P,
        row: StoredCeremony,
        _ reference: AccountReference,
        from origin: RequestOrigin,
        in session: CachedSession?,
        _ writer: any StorageWriter
    ) throws -> Enrolled {
        let now = clock.now
        guard try writer.consume(row.id, at: now) else {
            throw Refusal(.ceremonyConsumed, "another response was first")
        }
        let account = try session?.account ?? signUp(reference, new.profile, at: now, origin, writer)
        let existing = try session.map { try requireFresh($0, writer) } ?? []
        let replaced = try replace(new, of: provider.kind, account.id, origin, at: now, writer)
        try Self.checkQuota(try writer.credentials(of: account.id), provider)
        let stored = StoredCredential.enrolled(
            new,
            kind: provider.kind,
            of: account.id,
            at: now,
            settlesAt: policy.settlingTime(enrolledBy: session?.session, credentials: existing, now: now)
        )
        guard try writer.insert(stored) else {
            throw Refusal(.credentialAlreadyRegistered, "the credential is registered already")
        }
        try writer.append(.enrolled(stored, session: session?.session.id, origin: origin, at: now))
        if session != nil { try migration.noteEnrollment(of: stored.kind, to: account, at: now, writer) }
        let issued = try issue(for: stored, new.proof, account, row, origin, in: session, at: now, writer)
        var ended = try replaced.flatMap { try writer.endSessions(.credential($0.id, except: nil)) }
        if let session, session.session.scope != .full { ended += try writer.endSessions(.one(session.session.id)) }
        ended += issued?.ended ?? []
        return Enrolled(
            account: account,
            credential: stored,
            all: try writer.credentials(of: account.id),
            issued: issued,
            ended: ended,
            hasReplaced: !replaced.isEmpty
        )
    }

    /// Removes what the new credential takes the place of, and what held its slot, whoever that belonged to.
    private func replace(
        _ new: NewCredential,
        of kind: CredentialKind,
        _ account: AccountID,
        _ origin: RequestOrigin,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> [StoredCredential] {
        var replaced: [StoredCredential] = []
        if let id = new.replaces {
            guard let former = try writer.credential(id), former.record.account == account, former.kind == kind,
                try writer.delete(id)
            else { throw Refusal(.credentialUnknown, "the credential to replace is gone") }
            replaced.append(former)
        }
        if let slot = new.slot { replaced += try writer.deleteCredentials(of: kind, in: slot) }
        for former in replaced {
            try writer.append(.enrolled(former, action: .credentialReplaced, session: nil, origin: origin, at: now))
        }
        return replaced
    }

    /// A sign-up also signs in, and whoever came by a one-time link is in once a credential is enrolled.
    private func issue(
        for stored: StoredCredential,
        _ proof: Proof,
        _ account: Account,
        _ row: StoredCeremony,
        _ origin: RequestOrigin,
        in session: CachedSession?,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> IssuedSession? {
        guard session?.session.scope != .full else { return nil }
        let evidence = SessionEvidence(kind: stored.kind, credential: stored.id, proof: proof, at: now)
        // What opens the way back in is no factor of a sign-in.
        let earlier = (session?.session.evidence ?? []).filter { registry.purpose(of: $0.kind) == .signIn }
        let held = registry.held(try writer.credentials(of: account.id))
        switch policy.admit(evidence, for: account, addingTo: EarlierEvidence(earlier), holding: held, now: now) {
        case .refuse(let refusal): throw refusal
        // The credential is kept, and takes another one beside it at the next sign-in.
        case .needsSecondFactor: return nil
        case .issue(let grant):
            return try issuer.issue(grant, to: origin.asking(as: row.client), in: writer)
        }
    }

    private func signUp(
        _ reference: AccountReference,
        _ vouched: VouchedProfile?,
        at now: Timestamp,
        _ origin: RequestOrigin,
        _ writer: any StorageWriter
    ) throws -> Account {
        let profile = try AccountProfile(reference, with: vouched) { try writer.hasAccount(email: $0) }
        let account = AccountService.account(profile, id: reference.id, userHandle: reference.userHandle, at: now)
        guard try writer.insert(account) else { throw Refusal(.usernameTaken, "the user name is taken") }
        try writer.append(
            AuditEvent(at: now, action: .accountCreated, account: account.id, address: origin.address)
        )
        return account
    }
}

extension AccountProfile {
    /// What a new account is called, with what a credential's issuer says of its holder where that can be used.
    ///
    /// An address that another account has is left to it: addresses lead to accounts elsewhere, and nobody may get at one by
    /// having registered it first, or later.
    fileprivate init(
        _ reference: AccountReference,
        with vouched: VouchedProfile?,
        isTaken: (_ email: String) throws -> Bool
    ) throws {
        let isUnnamed = reference.displayName == reference.username
        let suggested = isUnnamed ? vouched?.displayName : nil
        let name = suggested.flatMap { Self.isShowable($0, in: Self.displayNameLengths) ? $0 : nil }
        let email = try vouched?.verifiedEmail.flatMap { try Self.isAddress($0) && !isTaken($0) ? $0 : nil }
        try self.init(username: reference.username, displayName: name ?? reference.displayName, email: email)
    }
}
