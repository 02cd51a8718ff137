import Crypto
public import GatehouseKit

/// Makes accounts, and switches them off and on.
public struct AccountService: Sendable {
    private let storage: any Storage
    private let clock: any Clock

    public init(storage: any Storage, clock: any Clock) {
        self.storage = storage
        self.clock = clock
    }

    /// How many bytes WebAuthn allows for a user handle (Level 3 §5.4.3), all of them random.
    static func userHandle() -> [UInt8] { Random.bytes(64) }

    static func account(
        _ profile: AccountProfile,
        id: AccountID = .random(),
        userHandle: [UInt8] = userHandle(),
        at now: Timestamp
    ) -> Account {
        Account(
            id: id,
            identifier: profile.identifier,
            username: profile.username,
            displayName: profile.displayName,
            email: profile.email,
            userHandle: userHandle,
            groups: profile.groups,
            createdAt: now
        )
    }

    /// Makes an account with a first credential, or with none yet.
    ///
    /// - Parameter credential: Makes the credential once the account is known, such as a hashed password.
    public func create(
        _ profile: AccountProfile,
        kind: CredentialKind? = nil,
        credential: ((AccountReference) throws(SignInError) -> NewCredential)? = nil
    ) throws(SignInError) -> Account {
        let now = clock.now
        let account = Self.account(profile, at: now)
        let new = try credential.map { (make) throws(SignInError) in try make(account.reference) }
        let first = kind.flatMap { kind in
            new.map { StoredCredential.enrolled($0, kind: kind, of: account.id, at: now, settlesAt: now) }
        }
        try storage.write { writer in
            guard try writer.insert(account) else { throw Refusal(.usernameTaken, "the user name is taken") }
            try writer.append(AuditEvent(at: now, action: .accountCreated, account: account.id))
            guard let first else { return }
            guard try writer.insert(first) else { throw Refusal(.credentialAlreadyRegistered, "credential exists") }
        }
        return account
    }

    /// Gives an account a credential that its provider vouches for.
    public func add(_ new: NewCredential, kind: CredentialKind, to account: AccountID) throws(SignInError) {
        let now = clock.now
        let credential = StoredCredential.enrolled(new, kind: kind, of: account, at: now, settlesAt: now)
        try storage.write { writer in
            guard try writer.insert(credential) else {
                throw Refusal(.credentialAlreadyRegistered, "credential exists")
            }
            try writer.append(
                AuditEvent(
                    at: now,
                    action: .credentialEnrolled,
                    account: account,
                    credential: credential.id,
                    kind: kind,
                    reason: "an administrator linked it"
                )
            )
        }
    }

    /// - Throws: ``Refusal`` with `not_found` if there is no such account.
    public func find(_ username: String) throws(SignInError) -> Account {
        let found = try storage.look { (reader) throws(ProviderFault) in
            try reader.account(named: Identifier.claimed(username))
        }
        guard let found else { throw .refused(Refusal(.notFound, "no such account")) }
        return found
    }

    /// Accounts in the order of their names, a page at a time.
    public func list(after last: Identifier?, limit: Int) throws(ProviderFault) -> [Account] {
        try storage.read { (reader) throws(ProviderFault) in try reader.accounts(after: last, limit: limit) }
    }

    /// Switches an account off, which ends its sessions, or on again.
    public func setDisabled(_ isDisabled: Bool, _ account: AccountID) throws(SignInError) {
        let now = clock.now
        try storage.write { writer in
            guard try writer.disable(account, at: isDisabled ? now : nil) else {
                throw Refusal(.notFound, "no such account")
            }
            if isDisabled { _ = try writer.endSessions(.account(account, except: nil)) }
            try writer.append(
                AuditEvent(at: now, action: isDisabled ? .accountDisabled : .accountEnabled, account: account)
            )
        }
    }

    public func delete(_ account: AccountID) throws(SignInError) {
        let now = clock.now
        try storage.write { writer in
            _ = try writer.endSessions(.account(account, except: nil))
            guard try writer.delete(account) else { throw Refusal(.notFound, "no such account") }
            try writer.append(AuditEvent(at: now, action: .accountDeleted, account: account))
        }
    }
}
