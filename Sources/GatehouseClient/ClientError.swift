/// Why a call did not do what it is for.
public enum ClientError: Error, Equatable, Sendable {
    /// The gateway said no, and why.
    case refused(Problem)
    /// There was no answer: no network, no server. Whether the call was carried out is not known.
    case unreachable(String)
    /// What answered is no gateway, or one of another version.
    case unexpectedAnswer(status: Int)

    /// The code of a refusal.
    public var code: String? {
        guard case .refused(let problem) = self else { return nil }
        return problem.code
    }
}

/// The gateway's refusal (RFC 9457).
///
/// Match on ``code``, which is stable, or on ``outcome``, which groups codes as `ASAuthorizationError` does; show ``detail`` at most to
/// developers.
public struct Problem: Decodable, Equatable, Sendable {
    public let status: Int
    public let detail: String
    /// Such as `credential_rejected`.
    public let code: String
    /// Such as `failed`, `ceremony`, `not_allowed`.
    public let outcome: String
    public let requestId: String
    /// Seconds to wait, for `throttled` and for outages.
    public let retryAfter: Int?
    /// With `trusted_device_unknown`: remove the key and the record of this device, they are good for nothing any more.
    public let deviceId: String?
    /// With `fresh_session_required`: what to step up with.
    public let kinds: [String]?
    public let assurance: String?
    public let maxAge: Int?
    /// With `credential_unknown`: for `ASCredentialUpdater`.
    public let signals: UnknownCredential?

    public struct UnknownCredential: Decodable, Equatable, Sendable {
        public let unknownCredentialId: Base64URLData
    }
}
