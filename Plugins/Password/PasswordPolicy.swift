import GatehouseKit

/// Which passwords may be set (NIST SP 800-63B-4 §3.1.1.2): long enough, no rules of composition.
public struct PasswordPolicy: Equatable, Sendable {
    /// In code points.
    public let minimumLength: Int

    /// The longest password in UTF-8 bytes, prepared; all of it counts.
    public static let maximumByteCount = 1_024

    /// - Parameter minimumLength: 15 where a password alone signs in, as it does here.
    public init(minimumLength: Int = 15) { self.minimumLength = minimumLength }

    /// - Returns: the password in the form that is hashed; `nil` if none can look like this.
    static func prepare(_ secret: Secret) -> [UInt8]? {
        guard let text = secret.text, let prepared = OpaqueString.prepare(text) else { return nil }
        let bytes = Array(prepared.utf8)
        return bytes.count <= maximumByteCount ? bytes : nil
    }

    /// - Returns: the password in the form that is hashed.
    /// - Throws: ``SignInError/refused(_:)`` with `password_too_weak` if it may not be set.
    func accept(_ secret: Secret, of account: AccountReference) throws(SignInError) -> [UInt8] {
        guard let password = Self.prepare(secret) else {
            throw .refused(Refusal(.passwordTooWeak, "a password has 1 to 1024 bytes and no control characters"))
        }
        let text = String(decoding: password, as: UTF8.self)
        guard text.unicodeScalars.count >= minimumLength else {
            throw .refused(Refusal(.passwordTooWeak, "the password is shorter than the minimum"))
        }
        guard Identifier.claimed(text) != Identifier.claimed(account.username) else {
            throw .refused(Refusal(.passwordTooWeak, "the password is the user name"))
        }
        return password
    }
}
