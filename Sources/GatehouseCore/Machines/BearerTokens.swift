import GatehouseKit

/// Finds out whom a token of another issuer stands for.
///
/// It is verified with each request: a signature costs little, and what isn't kept need not be forgotten.
public struct BearerTokens: Sendable {
    private let storage: any Storage
    private let registry: ProviderRegistry
    private let lanes: WorkerLanes

    public init(storage: any Storage, registry: ProviderRegistry, lanes: WorkerLanes) {
        self.storage = storage
        self.registry = registry
        self.lanes = lanes
    }

    /// Goes on on the lane that the token needs.
    ///
    /// - Parameter kinds: The issuers that may have made it.
    func identify(
        _ token: String,
        of kinds: [CredentialKind],
        then: @escaping @Sendable (MachineService.Finding) -> Void
    ) {
        let providers = kinds.compactMap { registry[$0] as? any BearerProvider }
        guard let provider = providers.first(where: { $0.isMeant(by: token) }) else { return then(.success(nil)) }
        let isAccepted = lanes[provider.lane(forBearer: token)].submit { isLate in
            then(isLate ? .failure(Self.overload) : finding(on: token, by: provider))
        }
        if !isAccepted { then(.failure(Self.overload)) }
    }

    private static let overload = SignInError.unavailable(ProviderFault("check a token", code: 0, kind: .overload))

    private func finding(on token: String, by provider: any BearerProvider) -> MachineService.Finding {
        do throws(SignInError) {
            let evidence = try provider.verify(bearer: token)
            let account = try storage.look { (reader) throws(ProviderFault) in try reader.account(evidence.account) }
            guard let account, !account.isDisabled else { return .success(nil) }
            return .success(MachineCaller(kind: provider.kind, account: account, expiresAt: evidence.expiresAt))
        } catch { return .failure(error) }
    }
}
