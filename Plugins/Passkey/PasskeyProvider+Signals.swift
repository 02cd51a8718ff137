public import GatehouseKit
import WebAuthn
public import Wire

extension PasskeyProvider: SignallingProvider {
    /// What `signalAllAcceptedCredentials` and `signalCurrentUserDetails` take, in one object (WebAuthn Level 3 §5.1.10,
    /// `#sctn-signal-methods`).
    public struct Signals: Encodable, Sendable {
        public let rpId: String
        public let userId: Base64URL
        public let allAcceptedCredentialIds: [Base64URL]
        public let name: String
        public let displayName: String
    }

    public func signals(for account: AccountReference, records: [GatehouseKit.CredentialRecord]) -> Signals {
        Signals(
            rpId: relyingParty.id,
            userId: Base64URL(bytes: account.userHandle),
            allAcceptedCredentialIds: records.map { Base64URL(bytes: $0.key) },
            name: account.username,
            displayName: account.displayName
        )
    }
}
