import Crypto
import Wire

/// The service that credentials are for, and where its pages and apps may ask for them.
///
/// All of it comes from configuration, never from a request.
public struct RelyingParty: Sendable {
    /// A host name in lower case, as A-labels and without a port.
    public let id: String

    /// SHA-256 of ``id``, as authenticators put it into their data.
    public let idHash: [UInt8]

    /// The pages and apps whose responses are taken.
    ///
    /// Origins in their serialisation (`https://auth.example.com`, no slash at the end), and native apps by their
    /// identifier (`android:apk-key-hash:…`). Compared byte by byte: never parsed, folded or normalised.
    public let origins: [String]

    /// Whether frames inside other sites' pages may use credentials.
    public let framing: Framing

    public enum Framing: Sendable {
        case refused
        /// Allowed, and where the client names the page on top, inside pages of these origins only.
        case allowed(topOrigins: [String])
    }

    public init(id: String, origins: [String], framing: Framing = .refused) {
        self.id = id
        self.idHash = SHA256.hash(Array(id.utf8))
        self.origins = origins
        self.framing = framing
    }
}

extension RelyingParty {
    /// Checks the client data: steps 7 to 11 of §7.1 (`#sctn-registering-a-new-credential`), 10 to 14 of §7.2
    /// (`#sctn-verifying-assertion`), WebAuthn Level 3, editor's draft of 2026-07-30.
    func check(
        _ client: CollectedClientData,
        type: StaticString,
        challenge: [UInt8]
    ) throws(WebAuthnError) {
        guard client.type.isIdentical(to: type.description) else { throw .wrongType }
        // The strict decoder knows one spelling of any bytes, so equal bytes are equal strings.
        guard let answered = Base64URL(client.challenge), !challenge.isEmpty,
            ConstantTime.equal(answered.bytes, challenge)
        else { throw .challengeMismatch }
        guard origins.contains(where: client.origin.isIdentical) else { throw .originMismatch }
        try checkFraming(client)
    }

    /// Steps 10 and 11 of §7.1 (`#sctn-registering-a-new-credential`), 13 and 14 of §7.2 (`#sctn-verifying-assertion`),
    /// with the guidance of §13.5.9 (`#sctn-validating-origin`), draft of 2026-07-30.
    private func checkFraming(_ client: CollectedClientData) throws(WebAuthnError) {
        switch framing {
        case .refused:
            guard !client.crossOrigin else { throw .crossOriginRefused }
            guard client.topOrigin == nil else { throw .topOriginRefused }
        case .allowed(let topOrigins):
            guard let topOrigin = client.topOrigin else { return }
            guard topOrigins.contains(where: topOrigin.isIdentical) else { throw .topOriginRefused }
        }
    }

    /// Checks what both ceremonies ask of authenticator data: steps 14 to 17 of §7.1
    /// (`#sctn-registering-a-new-credential`), 15 to 18 of §7.2 (`#sctn-verifying-assertion`), WebAuthn Level 3,
    /// editor's draft of 2026-07-30.
    func check(
        _ data: AuthenticatorData,
        requiresUserVerification: Bool,
        waivesUserPresence: Bool = false
    ) throws(WebAuthnError) {
        guard data.relyingPartyIDHash == idHash else { throw .rpIDMismatch }
        guard waivesUserPresence || data.flags.contains(.userPresent) else { throw .userPresenceMissing }
        guard !requiresUserVerification || data.flags.contains(.userVerified) else {
            throw .userVerificationMissing
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw .backupStateInvalid
        }
    }
}

extension String {
    /// Whether both are the same bytes.
    ///
    /// `==` takes canonically equivalent texts for equal, so that a Kelvin sign passes for the letter K.
    fileprivate func isIdentical(to other: String) -> Bool {
        let (ours, theirs) = (utf8Span.span, other.utf8Span.span)
        guard ours.count == theirs.count else { return false }
        for index in ours.indices where ours[index] != theirs[index] { return false }
        return true
    }
}
