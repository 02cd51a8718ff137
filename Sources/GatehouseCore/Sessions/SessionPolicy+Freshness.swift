public import GatehouseKit

extension SessionPolicy {
    /// What a session lacks to change credentials; `nil` if it is fresh.
    ///
    /// Where the account has a passkey that has settled, only a passkey will do, and a user-verified one if any of them
    /// ever was; else any credential does. So a stolen password can't plant a passkey beside an existing one, an owner can
    /// undo a planted first one, and whoever has none can enrol the first right after a password sign-in. A session that was
    /// opened by a one-time link exists for nothing else, and one that waits for the first passkey is over once there is one.
    ///
    /// - Parameter enabled: The kinds that can sign in at all.
    public func lackOfFreshness(
        in session: StoredSession,
        credentials: [StoredCredential],
        enabled: [CredentialKind],
        now: Timestamp
    ) -> Refusal? {
        let passkeys = credentials.filter { $0.kind == .passkey && $0.settlesAt <= now }
        let needsVerification = passkeys.contains { $0.userVerified }
        let recent = session.evidence.filter { now - $0.at <= fresh }
        let isFresh = recent.contains { piece in
            switch session.scope {
            case .enrollment: true
            case .firstPasskey: !credentials.contains { $0.kind == .passkey }
            case .full:
                passkeys.isEmpty || piece.kind == .passkey && (piece.proof.userVerified || !needsVerification)
            }
        }
        guard !isFresh else { return nil }
        let held = Set(credentials.map(\.kind))
        return Refusal(
            .freshSessionRequired,
            "the session did not prove itself recently enough",
            remedy: .freshSession(
                kinds: passkeys.isEmpty ? enabled.filter(held.contains) : [.passkey],
                assurance: needsVerification ? .aal2 : .aal1,
                maxAge: fresh.wholeSeconds
            )
        )
    }

    /// From when on a credential raises the bar, enrolled by this session at `now`.
    ///
    /// At once, if the session holds a key that has settled itself, or was opened by a link that an administrator made, or
    /// if there was no account before. Else a password alone could plant one key, and with that key another that settles at
    /// once; or somebody who found a recovery code could keep its owner out.
    func settlingTime(
        enrolledBy session: StoredSession?,
        credentials: [StoredCredential],
        now: Timestamp
    ) -> Timestamp {
        guard let session, !session.evidence.contains(where: { $0.kind == .recoveryLink }) else { return now }
        let settled = Set(credentials.filter { $0.settlesAt <= now }.map(\.id))
        let isTrusted =
            session.scope == .full
            && session.evidence.contains {
                $0.proof.factors.contains(.possession) && settled.contains($0.credential)
            }
        return isTrusted ? now : now + settling
    }
}
