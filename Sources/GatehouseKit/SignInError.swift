public import Wire

/// Why a sign-in or an enrolment did not succeed.
///
/// The two cases never mix: a refusal counts against the visitor (throttle, audit), an outage counts against us
/// (503, alert). No third case exists, so nothing can fall through to "let them in".
public enum SignInError: Error, Equatable, Sendable {
    /// The evidence was examined and is not good enough.
    case refused(Refusal)

    /// The evidence could not be examined.
    case unavailable(ProviderFault)
}

/// What was wrong with what the client sent.
public struct Refusal: Error, Equatable, Sendable {
    /// What the client is told.
    public let code: ProblemCode
    /// What the audit log and the operator are told: a literal, so that no input can get in.
    public let reason: Reason
    /// What the client needs to put its own state right.
    public let remedy: Remedy?
    /// What outlives the refusal; the client isn't told.
    public let finding: CredentialFinding?

    public init(
        _ code: ProblemCode,
        _ reason: Reason,
        remedy: Remedy? = nil,
        finding: CredentialFinding? = nil
    ) {
        self.code = code
        self.reason = reason
        self.remedy = remedy
        self.finding = finding
    }

    /// A reason given by a literal in source, so that reasons stay a closed vocabulary.
    public struct Reason: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        public let description: String
        public init(stringLiteral text: StaticString) { description = text.description }
    }

    public enum Remedy: Equatable, Sendable {
        /// For WebAuthn's `signalUnknownCredential`: this ID names no credential of ours.
        case unknownCredential(id: Base64URL)
        /// The client removes its key for this device.
        case unknownDevice(id: String)
        /// What to sign in with, where it is to be one of some kinds, how strongly, and at most how many seconds ago.
        case freshSession(kinds: [CredentialKind], assurance: Assurance, maxAge: Int64?)
        /// How many seconds to wait.
        case retryAfter(Int64)
    }
}

/// A failure of ours or of something we depend on.
public struct ProviderFault: Error, Equatable, Sendable {
    /// What was being done, as a literal: `"read passkey"`.
    public let operation: String
    /// The dependency's own code (SQLite, OpenSSL, HTTP status), for the log.
    public let code: Int
    public let kind: Kind

    public enum Kind: Sendable {
        /// Storage doesn't answer, or is full, locked or damaged.
        case storage
        /// A queue or a memory budget is full; the same request may succeed in a moment.
        case overload
        /// Something else than storage that is needed isn't there: another host, or what comes from one.
        case dependency
        /// Anything else, which is a defect of ours.
        case `internal`
    }

    public init(_ operation: StaticString, code: Int, kind: Kind = .internal) {
        self.operation = operation.description
        self.code = code
        self.kind = kind
    }
}
