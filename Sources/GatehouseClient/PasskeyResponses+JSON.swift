/// `AuthenticationResponseJSON` (WebAuthn Level 3 §5.5).
extension PasskeyAssertion: Encodable {
    private struct Response: Encodable {
        let clientDataJSON: Base64URLData
        let authenticatorData: Base64URLData
        let signature: Base64URLData
        let userHandle: Base64URLData?
    }

    public func encode(to encoder: any Encoder) throws {
        try PublicKeyCredential(
            id: credentialID,
            response: Response(
                clientDataJSON: rawClientDataJSON,
                authenticatorData: rawAuthenticatorData,
                signature: signature,
                userHandle: userID
            )
        ).encode(to: encoder)
    }
}

/// `RegistrationResponseJSON` (WebAuthn Level 3 §5.4).
extension PasskeyAttestation: Encodable {
    private struct Response: Encodable {
        let clientDataJSON: Base64URLData
        let attestationObject: Base64URLData
    }

    public func encode(to encoder: any Encoder) throws {
        try PublicKeyCredential(
            id: credentialID,
            response: Response(clientDataJSON: rawClientDataJSON, attestationObject: rawAttestationObject)
        ).encode(to: encoder)
    }
}

/// What both have in common.
private struct PublicKeyCredential<Response: Encodable>: Encodable {
    let id: Base64URLData
    let rawId: Base64URLData
    let type = "public-key"
    let response: Response
    let clientExtensionResults: [String: String] = [:]

    init(id: Base64URLData, response: Response) {
        (self.id, rawId) = (id, id)
        self.response = response
    }
}
