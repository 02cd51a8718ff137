public import GatehouseKit
import Synchronization

extension AccessTokenService {
    /// Who a token stands for, from memory alone.
    public func cached(_ token: AccessToken) -> MachineCaller? { cache.accessTokens.find(token.digest) }

    /// Who a token stands for; blocks while it is read.
    ///
    /// It may have expired: the caller lets ``SessionPolicy`` judge that.
    public func find(_ token: AccessToken) throws(ProviderFault) -> MachineCaller? {
        let digest = token.digest
        if let cached = cache.accessTokens.find(digest) { return cached }
        let generation = cache.accessTokens.generation(of: digest)
        let found = try storage.read { (reader) throws(ProviderFault) -> MachineCaller? in
            guard let stored = try reader.accessToken(digest: digest), let account = try reader.account(stored.account),
                !account.isDisabled
            else { return nil }
            return MachineCaller(
                kind: .accessToken,
                account: account,
                scope: stored.scope,
                expiresAt: stored.expiresAt,
                token: stored.id,
                lastUsedAt: stored.lastUsedAt
            )
        }
        if let found { cache.accessTokens.insert(found, for: digest, ifStill: generation) }
        return found
    }

    /// Notes that a token was used; cheap, and writes nothing itself.
    public func noteUse(of machine: MachineCaller, at now: Timestamp) {
        guard let token = machine.token, machine.markUsed(at: now, writeEvery: SessionService.writeInterval) else {
            return
        }
        used.withLock { $0[token] = now }
    }

    /// Stores the times of last use that have come together.
    public func flush() throws(SignInError) {
        let batch = used.withLock { used in
            defer { used = [:] }
            return used
        }
        guard !batch.isEmpty else { return }
        try storage.write { writer in
            for (id, time) in batch { try writer.touchAccessToken(id, at: time) }
        }
    }
}
