/// The error codes of the HTTP interface.
///
/// Clients match on them: adding one is a minor change, renaming one a breaking change.
public enum ProblemCode: String, Sendable, CaseIterable {
    // invalid_response: cannot be understood
    case malformedJSON = "malformed_json"
    case malformedRequest = "malformed_request"
    case malformedCredential = "malformed_credential"
    case unsupportedAlgorithm = "unsupported_algorithm"
    case attestationInvalid = "attestation_invalid"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case bodyTooLarge = "body_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case headersTooLarge = "headers_too_large"

    // not_handled: no provider takes it
    case notHandled = "not_handled"
    case unknownKind = "unknown_kind"
    case kindNotRequested = "kind_not_requested"

    // failed: understood, and refused
    case credentialRejected = "credential_rejected"
    case credentialUnknown = "credential_unknown"
    case trustedDeviceUnknown = "trusted_device_unknown"
    case challengeMismatch = "challenge_mismatch"
    case originMismatch = "origin_mismatch"
    case rpIDMismatch = "rp_id_mismatch"
    case userVerificationRequired = "user_verification_required"
    case userPresenceRequired = "user_presence_required"
    case signatureInvalid = "signature_invalid"
    case counterRegressed = "counter_regressed"
    case backupStateInvalid = "backup_state_invalid"
    case attestationUntrusted = "attestation_untrusted"
    case tokenInvalid = "token_invalid"
    case identifierMismatch = "identifier_mismatch"
    case accountDisabled = "account_disabled"
    case passwordRetired = "password_retired"

    // ceremony: the ceremony cannot be completed
    case ceremonyUnknown = "ceremony_unknown"
    case ceremonyKindMismatch = "ceremony_kind_mismatch"
    case ceremonyAccountMismatch = "ceremony_account_mismatch"
    case ceremonyConsumed = "ceremony_consumed"
    case ceremonyExpired = "ceremony_expired"
    case ceremonyExhausted = "ceremony_exhausted"

    // already_registered: matched an excluded credential
    case credentialAlreadyRegistered = "credential_already_registered"
    case deviceAlreadyEnrolled = "device_already_enrolled"
    case usernameTaken = "username_taken"

    // interaction_required: sign in (again) first
    case sessionRequired = "session_required"
    case freshSessionRequired = "fresh_session_required"
    case stepUpRequired = "step_up_required"

    // not_allowed: policy says no
    case signupClosed = "signup_closed"
    case kindDisabled = "kind_disabled"
    case nativeAPIDisabled = "native_api_disabled"
    case appNotAllowed = "app_not_allowed"
    case crossSiteRequest = "cross_site_request"
    case browserContext = "browser_context"
    case stepUpImpossible = "step_up_impossible"
    case forbidden
    case lastCredential = "last_credential"
    case passwordTooWeak = "password_too_weak"
    case passwordBreached = "password_breached"
    case quotaExceeded = "quota_exceeded"
    case returnURLNotAllowed = "return_url_not_allowed"
    case invalidValue = "invalid_value"

    // throttled: too many, wait
    case tooManyAttempts = "too_many_attempts"
    case overloaded

    // internal: our fault
    case internalError = "internal_error"
    case storageUnavailable = "storage_unavailable"
    case dependencyUnavailable = "dependency_unavailable"
}

extension ProblemCode {
    /// The shared taxonomy of outcomes, which mirrors `ASAuthorizationError`.
    public enum Outcome: String, Sendable {
        case invalidResponse = "invalid_response"
        case notHandled = "not_handled"
        case failed
        case ceremony
        case alreadyRegistered = "already_registered"
        case interactionRequired = "interaction_required"
        case notAllowed = "not_allowed"
        case throttled
        case `internal`
    }

    public var outcome: Outcome {
        switch self {
        case .malformedJSON, .malformedRequest, .malformedCredential, .unsupportedAlgorithm, .attestationInvalid,
            .notFound, .methodNotAllowed, .bodyTooLarge, .unsupportedMediaType, .headersTooLarge:
            .invalidResponse
        case .notHandled, .unknownKind, .kindNotRequested:
            .notHandled
        case .credentialRejected, .credentialUnknown, .trustedDeviceUnknown, .challengeMismatch, .originMismatch,
            .rpIDMismatch, .userVerificationRequired, .userPresenceRequired, .signatureInvalid, .counterRegressed,
            .backupStateInvalid, .attestationUntrusted, .tokenInvalid, .identifierMismatch, .accountDisabled,
            .passwordRetired:
            .failed
        case .ceremonyUnknown, .ceremonyKindMismatch, .ceremonyAccountMismatch, .ceremonyConsumed, .ceremonyExpired,
            .ceremonyExhausted:
            .ceremony
        case .credentialAlreadyRegistered, .deviceAlreadyEnrolled, .usernameTaken:
            .alreadyRegistered
        case .sessionRequired, .freshSessionRequired, .stepUpRequired:
            .interactionRequired
        case .signupClosed, .kindDisabled, .nativeAPIDisabled, .appNotAllowed, .crossSiteRequest, .browserContext,
            .stepUpImpossible, .forbidden, .lastCredential, .passwordTooWeak, .passwordBreached, .quotaExceeded,
            .returnURLNotAllowed, .invalidValue:
            .notAllowed
        case .tooManyAttempts, .overloaded:
            .throttled
        case .internalError, .storageUnavailable, .dependencyUnavailable:
            .internal
        }
    }

    /// The HTTP status (RFC 9110 §15) of a problem with this code.
    public var status: Int {
        switch self {
        case .notFound: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .headersTooLarge: 431
        case .ceremonyConsumed, .lastCredential: 409
        case .ceremonyExpired, .ceremonyExhausted: 410
        case .sessionRequired: 401
        case .passwordTooWeak, .passwordBreached, .quotaExceeded, .returnURLNotAllowed, .invalidValue: 422
        case .tooManyAttempts: 429
        case .overloaded, .storageUnavailable, .dependencyUnavailable: 503
        default: Self.status(of: outcome)
        }
    }

    private static func status(of outcome: Outcome) -> Int {
        switch outcome {
        case .invalidResponse, .ceremony: 400
        case .notHandled: 422
        case .failed: 401
        case .alreadyRegistered: 409
        case .interactionRequired, .notAllowed: 403
        case .throttled: 429
        case .internal: 500
        }
    }
}
