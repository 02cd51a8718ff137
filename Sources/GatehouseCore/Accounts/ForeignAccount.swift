public import GatehouseKit

/// An account as another system had it; nothing of it is checked yet.
public struct ForeignAccount: Equatable, Sendable {
    public let username: String?
    public let email: String?
    public let displayName: String?
    public let groups: [String]
    public let isDisabled: Bool
    /// The hash of its password; `nil` if it has none, as where people came from elsewhere.
    public let storedSecret: String?

    /// Text that is empty is none.
    public init(
        username: String?,
        email: String? = nil,
        displayName: String? = nil,
        groups: [String] = [],
        isDisabled: Bool = false,
        storedSecret: String?
    ) {
        self.username = Self.content(username)
        self.email = Self.content(email)
        self.displayName = Self.content(displayName)
        self.groups = groups
        self.isDisabled = isDisabled
        self.storedSecret = Self.content(storedSecret)
    }

    private static func content(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }

    /// The profile, which is checked like that of any new account; the address stands in for a missing name.
    func profile() throws(Refusal) -> AccountProfile {
        guard let username = username ?? email else {
            throw Refusal(.invalidValue, "the record has neither a user name nor an e-mail address")
        }
        return try AccountProfile(username: username, displayName: displayName, email: email, groups: groups)
    }
}

/// One record of a file, and where it stands.
public struct ForeignRecord: Sendable {
    public let place: Place
    /// Why it can't even be read, if it can't.
    public let account: Result<ForeignAccount, Refusal>

    public init(_ place: Place, _ account: Result<ForeignAccount, Refusal>) {
        self.place = place
        self.account = account
    }

    /// Counted from 1.
    public enum Place: Equatable, Sendable, CustomStringConvertible {
        case line(Int)
        case record(Int)

        public var description: String {
            switch self {
            case .line(let number): "line \(number)"
            case .record(let number): "record \(number)"
            }
        }
    }
}

/// What became of a record.
public struct ImportedRecord: Sendable {
    public let place: ForeignRecord.Place
    /// `nil` where it can't be shown.
    public let username: String?
    public let outcome: Outcome

    public enum Outcome: Equatable, Sendable {
        case imported(hasSecret: Bool)
        /// An account of this name or address was there before, and was left alone.
        case existing
        case refused(Refusal.Reason)
    }
}
