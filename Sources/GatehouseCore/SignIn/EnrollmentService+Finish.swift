public import FoundationEssentials
public import GatehouseKit

/// A credential that was just added.
public struct EnrollmentResult: Sendable {
    public let account: Account
    /// What the provider shows of the credential, under the collection's member name.
    public let summary: any Encodable & Sendable
    public let collection: CredentialCollection
    public let signals: (any Encodable & Sendable)?
    /// Opened by a sign-up, or in place of a session that could only enrol.
    public let issued: IssuedSession?
    /// Whether another credential had to give way.
    public let hasReplaced: Bool
    let kind: CredentialKind
    /// The account's.
    let credentials: [StoredCredential]
    /// Whether it made the account.
    let isSignup: Bool
}

extension EnrollmentService {
    /// Checks the response to a registration ceremony and stores the credential.
    ///
    /// - Parameter json: The body, strict JSON with the members `ceremonyId` and `response`.
    public func finish(
        _ id: CeremonyID,
        collection: String,
        json: Data,
        from origin: RequestOrigin,
        in session: CachedSession?
    ) throws(SignInError) -> EnrollmentResult {
        let provider = try provider(of: collection)
        return try finish(id, collection: collection, json: json, with: provider, from: origin, in: session)
    }

    private func finish<P: EnrollingProvider>(
        _ id: CeremonyID,
        collection: String,
        json: Data,
        with provider: P,
        from origin: RequestOrigin,
        in session: CachedSession?
    ) throws(SignInError) -> EnrollmentResult {
        let response: P.Registration
        do {
            response = try JSONDecoder().decode(RegistrationBody<P.Registration>.self, from: json).response
        } catch {
            throw .refused(Refusal(.malformedCredential, "a member of the response is missing or of the wrong type"))
        }
        let row = try reserve(id, collection: collection, from: origin, in: session)
        // A ceremony begun without a session ignores one that comes with the response, but for ending it.
        let acting = row.session == nil ? nil : session
        let reference = try subject(of: row, acting)
        let enrolled: Enrolled
        do throws(SignInError) {
            if let acting { _ = try freshCredentials(in: acting) }
            let new = try provider.finishEnrollment(response, of: reference, ceremony: row.ceremony)
            enrolled = try storage.write { [self] writer in
                let ended = try acting == nil ? session.map { try writer.endSessions(.one($0.session.id)) } ?? [] : []
                return try commit(new, provider, row: row, reference, from: origin, in: acting, writer)
                    .ending(ended)
            }
        } catch {
            throw try recorded(error, kind: provider.kind, account: acting?.account.id, origin: origin)
        }
        sessions.cache.remove(enrolled.ended)
        return try result(of: enrolled, isSignup: row.session == nil, provider)
    }

    private func reserve(
        _ id: CeremonyID,
        collection: String,
        from origin: RequestOrigin,
        in session: CachedSession?
    ) throws(SignInError) -> StoredCeremony {
        let now = clock.now
        return try storage.write { [ceremonies] writer in
            try ceremonies.reserveAttempt(id, at: now, in: writer) { row in
                guard row.purpose == .registration(collection: collection) else {
                    throw Refusal(.ceremonyKindMismatch, "not a registration ceremony of this collection")
                }
                if let bound = row.session {
                    guard let session else { throw Refusal(.sessionRequired, "enrolling needs its session") }
                    guard bound == session.session.id else {
                        throw Refusal(.ceremonyAccountMismatch, "the ceremony belongs to another session")
                    }
                }
                try row.check(client: origin)
            }
        }
    }

    private func subject(of row: StoredCeremony, _ session: CachedSession?) throws(SignInError) -> AccountReference {
        if let session { return session.account.reference }
        guard let draft = row.signup, let id = row.account else {
            throw .refused(Refusal(.sessionRequired, "enrolling needs a session"))
        }
        return AccountReference(
            id: id,
            username: draft.username,
            displayName: draft.displayName,
            userHandle: draft.userHandle
        )
    }

    func recorded(
        _ error: SignInError,
        kind: CredentialKind,
        account: AccountID?,
        origin: RequestOrigin
    ) throws(SignInError) -> SignInError {
        guard case .refused(let refusal) = error else { return error }
        let now = clock.now
        try storage.write { writer in
            try writer.append(
                .refused(refusal, .credentialRefused, kind: kind, account: account, origin: origin, at: now)
            )
        }
        return error
    }

    private func result<P: EnrollingProvider>(
        of enrolled: Enrolled,
        isSignup: Bool,
        _ provider: P
    ) throws(SignInError) -> EnrollmentResult {
        do throws(ProviderFault) {
            return EnrollmentResult(
                account: enrolled.account,
                summary: try provider.summary(of: enrolled.credential.record, isCurrent: false),
                collection: provider.collection,
                signals: registry.signalling.map { SignInService.signals(of: $0, enrolled.account, enrolled.all) },
                issued: enrolled.issued,
                hasReplaced: enrolled.hasReplaced,
                kind: provider.kind,
                credentials: enrolled.all,
                isSignup: isSignup
            )
        } catch { throw .unavailable(error) }
    }
}

private struct RegistrationBody<Response: Decodable>: Decodable { let response: Response }
