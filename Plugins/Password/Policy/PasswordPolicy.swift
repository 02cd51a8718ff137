public import GatehouseKit

/// Which passwords may be set (NIST SP 800-63B-4 §3.1.1.2): long enough, neither expected nor known from a breach, and no
/// rules of composition.
public struct PasswordPolicy: Sendable {
    /// In code points.
    private let minimumLength: @Sendable (AccountReference) -> Int
    private let words: [String]
    private let blocked: PasswordList?
    private let breaches: Breaches?

    /// The longest password in UTF-8 bytes, prepared; all of it counts.
    public static let maximumByteCount = 1_024

    /// - Parameters:
    ///   - minimumLength: 15 where a password alone signs in, and at least 8 where a second factor has to stand beside it.
    ///   - names: What anybody would try here first: the name of the service, its host.
    ///   - blocked: What nobody may set.
    public init(
        minimumLength: @escaping @Sendable (AccountReference) -> Int = { _ in 15 },
        names: [String] = [],
        blocked: PasswordList? = nil,
        breaches: Breaches? = nil
    ) {
        self.minimumLength = minimumLength
        self.words = names
        self.blocked = blocked
        self.breaches = breaches
    }

    /// Whether finding out takes a call to another host.
    var asksElsewhere: Bool { breaches?.asksElsewhere ?? false }

    /// - Returns: the password in the form that is hashed; `nil` if none can look like this.
    static func prepare(_ secret: Secret) -> [UInt8]? {
        guard let text = secret.text, let prepared = OpaqueString.prepare(text) else { return nil }
        let bytes = Array(prepared.utf8)
        return bytes.count <= maximumByteCount ? bytes : nil
    }

    /// - Returns: the password in the form that is hashed.
    /// - Throws: ``SignInError/refused(_:)`` with `password_too_weak` or `password_breached` if it may not be set;
    ///   ``SignInError/unavailable(_:)`` if that could not be found out, and has to be.
    func accept(_ secret: Secret, of account: AccountReference) throws(SignInError) -> [UInt8] {
        guard let password = Self.prepare(secret) else {
            throw Self.tooWeak("a password has 1 to 1024 bytes and no control characters")
        }
        let text = String(decoding: password, as: UTF8.self)
        guard text.unicodeScalars.count >= minimumLength(account) else {
            throw Self.tooWeak("the password is shorter than the minimum")
        }
        let words = ContextWords(of: words + [account.username, account.displayName])
        guard words.leaveEnough(of: text) else {
            throw Self.tooWeak("little is left of the password without the names that everybody knows")
        }
        guard blocked?.contains(text) != true else { throw Self.tooWeak("the password is on the block list") }
        guard try !isBreached(password) else {
            throw .refused(Refusal(.passwordBreached, "the password is known from a breach"))
        }
        return password
    }

    private static func tooWeak(_ reason: Refusal.Reason) -> SignInError {
        .refused(Refusal(.passwordTooWeak, reason))
    }

    private func isBreached(_ password: [UInt8]) throws(SignInError) -> Bool {
        do throws(ProviderFault) {
            return try breaches?.contain(password) ?? false
        } catch { throw .unavailable(error) }
    }
}
