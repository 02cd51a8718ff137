/// A new list of recovery codes: to be shown to its owner, this once, and confirmed.
public struct RecoveryCodesRegistration: Decodable, Sendable {
    public let ceremonyId: String
    public let options: Options

    public struct Options: Decodable, Sendable {
        /// Such as `7QK2-M0XD-9HTA-R4VW`.
        public let codes: [String]
    }
}

/// The account's recovery codes.
public struct RecoveryCodes: Decodable, Equatable, Sendable {
    public let id: String
    public let createdAt: String
    /// Those that were not used.
    public let remaining: Int
    public let total: Int
}

extension GatehouseClient {
    /// Makes a list of codes for the account that is signed in; an earlier list is good until this one is confirmed.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `fresh_session_required` where the session must prove itself first; see
    ///   ``StepUpOptions/init(_:deviceId:)``.
    public func beginRecoveryCodes() async throws(ClientError) -> RecoveryCodesRegistration {
        try await call(.post, "/recovery-codes/register/options")
    }

    /// Stores a list once its owner has typed one of the codes, which stays good.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `credential_rejected` if the code isn't one of them: let people try again.
    public func confirmRecoveryCodes(
        _ registration: RecoveryCodesRegistration,
        with code: String
    ) async throws(ClientError) -> RecoveryCodes {
        let body = Confirmation(ceremonyId: registration.ceremonyId, response: ["code": code])
        return try await call(.post, "/recovery-codes/register/verify", body, returning: Confirmed.self).recoveryCodes
    }
}

private struct Confirmation: Encodable {
    let ceremonyId: String
    let response: [String: String]
}

private struct Confirmed: Decodable { let recoveryCodes: RecoveryCodes }
