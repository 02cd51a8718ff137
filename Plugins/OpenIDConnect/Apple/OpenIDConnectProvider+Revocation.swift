import FoundationEssentials
public import GatehouseKit

extension OpenIDConnectProvider: RevokingProvider {
    public func revoke(_ remnant: [UInt8]) throws(SignInError) {
        guard let apple else { throw .unavailable(ProviderFault("revoke without the team's key", code: 0)) }
        guard let grant = try? JSONDecoder().decode(SealedGrant.self, from: Data(remnant)) else {
            throw .refused(Refusal(.credentialRejected, "what is left of the credential can't be read"))
        }
        try apple.revoke(grant)
    }

    /// Redeems the code that came with a token, where the gateway can.
    ///
    /// - Returns: What has to be revoked once the link is gone.
    func remnant(of code: Secret?, _ claims: IDTokenClaims) throws(SignInError) -> [UInt8]? {
        guard let code, let apple else { return nil }
        let grant = try apple.grant(for: code, of: claims)
        do { return [UInt8](try JSONEncoder().encode(grant)) } catch {
            throw .unavailable(ProviderFault("encode a refresh token", code: 0))
        }
    }
}
