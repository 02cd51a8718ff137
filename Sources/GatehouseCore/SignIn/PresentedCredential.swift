public import FoundationEssentials
public import GatehouseKit

/// A credential as it arrived: JSON that passed the strict check, and where in it the credential stands.
public struct PresentedCredential: Sendable {
    public let ceremony: CeremonyID
    public let kind: CredentialKind
    let json: Data
    let placement: Placement

    public enum Placement: Sendable {
        /// In the member `credential`.
        case nested
        /// Its members are those of the body: the passkey-only form.
        case root
    }

    public init(ceremony: CeremonyID, kind: CredentialKind, json: Data, placement: Placement) {
        self.ceremony = ceremony
        self.kind = kind
        self.json = json
        self.placement = placement
    }
}

extension PresentedCredential {
    func decode<Credential: Decodable>() throws(SignInError) -> Credential {
        do {
            switch placement {
            case .root: return try JSONDecoder().decode(Credential.self, from: json)
            case .nested: return try JSONDecoder().decode(Nested<Credential>.self, from: json).credential
            }
        } catch {
            throw .refused(Refusal(.malformedCredential, "a member of the credential is missing or of the wrong type"))
        }
    }

    private struct Nested<Credential: Decodable>: Decodable { let credential: Credential }
}
