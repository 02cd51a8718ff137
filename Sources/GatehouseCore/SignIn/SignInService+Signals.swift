import GatehouseKit

extension SignInService {
    func signals(for account: Account, _ credentials: [StoredCredential]) -> (any Encodable & Sendable)? {
        registry.signalling.map { Self.signals(of: $0, account, credentials) }
    }

    static func signals<P: SignallingProvider>(
        of provider: P,
        _ account: Account,
        _ credentials: [StoredCredential]
    ) -> any Encodable & Sendable {
        provider.signals(for: account.reference, records: credentials.filter { $0.kind == provider.kind }.map(\.record))
    }
}
