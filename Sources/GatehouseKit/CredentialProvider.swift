/// A way to prove who someone is.
///
/// A provider owns one kind of credential from end to end: it decodes the wire form, checks it, and names the account it
/// proves. It sees no cookie, no session and no HTTP, and it can't let anyone in: it returns ``Evidence``, and
/// `SessionPolicy` decides what that is worth.
///
/// Calls come from the threads of ``lane``, several at once. A provider may block there.
public protocol CredentialProvider: Sendable {
    /// What the client sends as `"credential"` in a combined sign-in request; the member `kind` is already read.
    associatedtype Credential: Decodable & Sendable

    /// The name clients use for this kind. Stored with sessions, so never given to another provider.
    ///
    /// Of the instance and not of the type: one type serves every OpenID Connect issuer, each under its own name.
    var kind: CredentialKind { get }

    /// What its credentials are for. Defaults to ``CredentialPurpose/signIn``.
    static var purpose: CredentialPurpose { get }

    /// The worker threads that run ``verify(_:ceremony:)``. Defaults to ``WorkLane/compute``.
    var lane: WorkLane { get }

    /// Checks one credential against one ceremony; writes nothing.
    ///
    /// An unknown account and a wrong secret must cost the same and throw the same. Called a second time where the
    /// credential changed or went before the result could be stored.
    ///
    /// - Throws: ``SignInError/refused(_:)`` if the credential is wrong in any way,
    ///   ``SignInError/unavailable(_:)`` if that couldn't be determined.
    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence

    /// The account name that a credential claims, where it carries one; see ``Identifier/claimed(_:)``.
    ///
    /// Compared with the ceremony's before any look-up, and what failures are counted by where ``isGuessable`` is true.
    /// Defaults to `nil`.
    func claimedIdentifier(_ credential: Credential) -> Identifier?

    /// Whether trying often enough would find a credential: it has less than 64 random bits (NIST SP 800-63B-4 §3.1.2).
    ///
    /// Failures then count against the name that is claimed. Defaults to `false`, and to `true` for secrets that people set.
    var isGuessable: Bool { get }

    /// What a record remembers of its credential's anomalies, for administrators. Defaults to none.
    func anomalies(of record: CredentialRecord) throws(ProviderFault) -> [CredentialAnomaly]

    /// Whether a record can still sign anyone in, so that an account isn't left with one that can't. Defaults to `true`.
    func canSignIn(with record: CredentialRecord) -> Bool

    /// Whether a record's credential is still there when the device is lost that it is used on, such as a synced passkey.
    ///
    /// Nobody's password is removed while all else that they have is on one device. Defaults to `false`.
    func outlivesDevice(_ record: CredentialRecord) -> Bool
}

/// A provider that only some of its credentials keep waiting for another host.
public protocol LaneChoosingProvider: CredentialProvider {
    /// The worker threads that check this credential, in place of ``CredentialProvider/lane``.
    ///
    /// Called on the HTTP thread: looks at what is in memory, and at nothing else.
    func lane(for credential: Credential) -> WorkLane
}

/// A provider whose credentials stand for something at another host, which has to be ended there when they are gone.
public protocol RevokingProvider: CredentialProvider {
    /// Ends it; blocks, on a thread of its own.
    ///
    /// Called after the credential is gone for good, as often as it takes.
    ///
    /// - Parameter remnant: That of the credential when it was enrolled.
    /// - Throws: ``SignInError/unavailable(_:)`` to be asked again later, ``SignInError/refused(_:)`` if that is no use.
    func revoke(_ remnant: [UInt8]) throws(SignInError)
}

/// A provider that takes part in the combined request.
public protocol OfferingProvider: CredentialProvider {
    /// What stands beside `"kind"` in the answer's `requests`.
    associatedtype Offer: Encodable & Sendable

    /// What this visitor may answer with.
    ///
    /// The offer for an unknown account must have the shape, the size and the timing of one for a known account.
    ///
    /// - Returns: `nil` to stay out of this request.
    func offer(to visitor: Visitor, ceremony: borrowing Ceremony) throws(ProviderFault) -> Offer?
}

/// A provider whose credentials people add to their own account.
public protocol EnrollingProvider: CredentialProvider {
    /// The body of `POST /{collection}/register/options`.
    associatedtype Request: Decodable & Sendable
    associatedtype Options: Encodable & Sendable
    /// The member `response` of `POST /{collection}/register/verify`.
    associatedtype Registration: Decodable & Sendable
    /// One credential in `GET /{collection}`.
    associatedtype Summary: Encodable & Sendable

    var collection: CredentialCollection { get }

    /// - Parameter existing: The account's credentials of this kind.
    func beginEnrollment(
        _ request: Request,
        of account: AccountReference,
        existing: [CredentialRecord],
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> EnrollmentStart<Options>

    func finishEnrollment(
        _ registration: Registration,
        of account: AccountReference,
        ceremony: borrowing Ceremony
    ) throws(SignInError) -> NewCredential

    func summary(of record: CredentialRecord, isCurrent: Bool) throws(ProviderFault) -> Summary

    /// How many of these credentials an account may have that can sign it in. Defaults to 25.
    var quota: Int { get }
}

extension EnrollingProvider {
    public var quota: Int { 25 }
}

/// A provider whose clients may ask, signed out, whether a credential they hold is still known.
public protocol ValidatingProvider: EnrollingProvider {
    /// The body of `POST /{collection}/validate`.
    associatedtype Claim: Decodable & Sendable

    /// Must take the same time for a known and an unknown one.
    func isKnown(_ claim: Claim) throws(ProviderFault) -> Bool
}

/// A provider whose clients keep a list of credentials that can go stale.
public protocol SignallingProvider: CredentialProvider {
    /// What the client's signal methods take (WebAuthn Level 3 §5.1.10).
    associatedtype Signals: Encodable & Sendable

    /// - Parameter records: All of the account's credentials of this kind.
    func signals(for account: AccountReference, records: [CredentialRecord]) -> Signals
}

/// A provider whose one credential an account can set to a secret of its own choosing: the password.
public protocol SecretSettingProvider: CredentialProvider {
    /// The worker threads that set secrets. Defaults to ``CredentialProvider/lane``.
    var settingLane: WorkLane { get }

    /// Checks a new secret against policy and makes it storable.
    ///
    /// Runs on ``settingLane``.
    func credential(settingTo secret: Secret, of account: AccountReference) throws(SignInError) -> NewCredential

    /// Checks the account's present secret, at the cost and with the errors of a sign-in.
    func check(_ secret: Secret, of account: AccountReference) throws(SignInError)
}

/// A provider whose credential is a name and a secret, and so fits into a request's header: HTTP's Basic scheme (RFC 7617).
public protocol BasicSchemeProvider: CredentialProvider {
    /// Checks both at the cost and with the errors of a sign-in; runs on ``CredentialProvider/lane``.
    func verify(_ secret: Secret, named identifier: String) throws(SignInError) -> Evidence
}

/// A provider whose credential a machine may send with each request, as a bearer token (RFC 6750).
public protocol BearerProvider: CredentialProvider {
    /// Whether a token says that it is from here and meant for this; nothing of it is verified.
    func isMeant(by token: String) -> Bool

    /// The worker threads that check this token.
    func lane(forBearer token: String) -> WorkLane

    /// Checks a token by itself: no ceremony asked for it.
    func verify(bearer token: String) throws(SignInError) -> BearerEvidence
}

/// A provider whose credentials stand for somebody at another host, whom an administrator may link to an account.
public protocol LinkingProvider: CredentialProvider {
    /// - Throws: ``Refusal`` with `invalid_value` for what can be no subject.
    func credential(linking subject: String) throws(SignInError) -> NewCredential
}

/// A provider that takes over credentials in the form in which other systems store them, such as password hashes.
public protocol ImportingProvider: CredentialProvider {
    /// Makes a stored form storable here; a matter of microseconds, as there may be a million of them.
    ///
    /// - Throws: ``Refusal`` with `invalid_value` if the form isn't known or checking it would cost too much.
    func credential(importing stored: String, of account: AccountReference) throws(Refusal) -> NewCredential
}

/// Threads set aside for work that may block.
///
/// The HTTP threads and Swift's own pool never do such work.
public enum WorkLane: Sendable {
    /// Signatures and storage: a few threads, and a short queue.
    case compute
    /// Password hashing: as many at a time as the memory budget allows.
    case hashing
    /// Calls to other hosts: few threads, so that a slow host delays only its own provider.
    case network
}

extension SecretSettingProvider {
    public var isGuessable: Bool { true }

    public var settingLane: WorkLane { lane }
}

/// What a kind of credential is for.
public enum CredentialPurpose: Sendable {
    case signIn
    /// Getting back in: it opens a session that may enrol another credential and nothing else, and is no way to sign in that
    /// an account could be left with.
    case recovery
}

extension CredentialProvider {
    public static var purpose: CredentialPurpose { .signIn }

    public var lane: WorkLane { .compute }

    public func claimedIdentifier(_ credential: Credential) -> Identifier? { nil }

    public var isGuessable: Bool { false }

    public func anomalies(of record: CredentialRecord) throws(ProviderFault) -> [CredentialAnomaly] { [] }

    public func canSignIn(with record: CredentialRecord) -> Bool { true }

    public func outlivesDevice(_ record: CredentialRecord) -> Bool { false }
}
