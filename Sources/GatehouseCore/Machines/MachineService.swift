public import GatehouseKit

/// What a request carries in place of a session, as far as its form tells.
public enum MachineCredential: Sendable {
    case token(AccessToken)
    case basic(BasicCredential)
    /// A token of one of these issuers.
    case bearer(String, from: [CredentialKind])
}

/// A name and a password from a request's header (RFC 7617).
public struct BasicCredential: Sendable {
    let identifier: String
    let secret: Secret

    /// - Returns: `nil` where either is empty or has control characters, which no such credential has.
    public init?(identifier: String, password: String) {
        let isPlain = (identifier + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isPlain, !identifier.isEmpty, !password.isEmpty else { return nil }
        self.identifier = identifier
        secret = Secret(password)
    }
}

/// Finds out whom a machine's credential stands for.
public struct MachineService: Sendable {
    /// A caller; `nil` for a credential that is nobody's.
    public typealias Finding = Result<MachineCaller?, SignInError>

    public let tokens: AccessTokenService
    private let basic: BasicSignIn?
    private let bearers: BearerTokens

    /// - Parameter basic: `nil` where no provider takes a name and a password.
    public init(tokens: AccessTokenService, basic: BasicSignIn?, bearers: BearerTokens) {
        self.tokens = tokens
        self.basic = basic
        self.bearers = bearers
    }

    /// From memory alone.
    public func cached(_ credential: MachineCredential) -> MachineCaller? {
        guard case .token(let token) = credential else { return nil }
        return tokens.cached(token)
    }

    /// Blocks while storage is read, and goes on on another lane where that isn't all there is to do.
    ///
    /// - Parameter then: Called once, on this thread or another.
    public func identify(
        _ credential: MachineCredential,
        from origin: RequestOrigin,
        then: @escaping @Sendable (Finding) -> Void
    ) {
        switch credential {
        case .token(let token):
            do throws(ProviderFault) { then(.success(try tokens.find(token))) } catch {
                then(.failure(.unavailable(error)))
            }
        case .basic(let credential):
            guard let basic else { return then(.success(nil)) }
            basic.identify(credential, from: origin, then: then)
        case .bearer(let token, let kinds):
            bearers.identify(token, of: kinds, then: then)
        }
    }
}
