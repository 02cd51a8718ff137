public import GatehouseKit

extension SignInService {
    /// A sign-in that somebody may go to an issuer's page for, or comes back from there with; takes none of its attempts.
    ///
    /// The way back leads from another site into a browser. A session's cookie doesn't come along, so nothing that is bound to
    /// a session goes this way, and nothing of an app.
    ///
    /// - Throws: ``Refusal`` for everything that could not be completed.
    public func awaited(_ id: CeremonyID, for kind: CredentialKind) throws(SignInError) -> StoredCeremony {
        let found = try storage.look { (reader) throws(ProviderFault) in try reader.ceremony(id) }
        do throws(Refusal) {
            guard let row = found else { throw Refusal(.ceremonyUnknown, "no such ceremony") }
            guard row.purpose == .signIn else { throw Refusal(.ceremonyKindMismatch, "not a plain sign-in") }
            guard row.client == .browser else { throw Refusal(.browserContext, "the ceremony of an app") }
            guard row.kinds.contains(kind) else {
                throw Refusal(.kindNotRequested, "the ceremony did not ask for this kind")
            }
            guard !row.isConsumed else { throw Refusal(.ceremonyConsumed, "the ceremony was used") }
            guard clock.now < row.expiresAt else { throw Refusal(.ceremonyExpired, "the ceremony is past its time") }
            return row
        } catch { throw .refused(error) }
    }
}
