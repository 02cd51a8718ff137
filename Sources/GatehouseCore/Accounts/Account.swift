public import GatehouseKit

/// Someone, or something, that signs in.
public struct Account: Equatable, Sendable {
    public let id: AccountID
    /// The name in its compared form; unique.
    public let identifier: Identifier
    /// The name as it was typed.
    public let username: String
    public let displayName: String
    public let email: String?
    public let userHandle: [UInt8]
    public let groups: [String]
    public let isDisabled: Bool
    public let createdAt: Timestamp

    public init(
        id: AccountID,
        identifier: Identifier,
        username: String,
        displayName: String,
        email: String?,
        userHandle: [UInt8],
        groups: [String],
        isDisabled: Bool = false,
        createdAt: Timestamp
    ) {
        self.id = id
        self.identifier = identifier
        self.username = username
        self.displayName = displayName
        self.email = email
        self.userHandle = userHandle
        self.groups = groups
        self.isDisabled = isDisabled
        self.createdAt = createdAt
    }

    public var reference: AccountReference {
        AccountReference(
            id: id,
            username: username,
            displayName: displayName,
            userHandle: userHandle,
            groups: groups
        )
    }
}

/// What a new account is called.
public struct AccountProfile: Equatable, Sendable {
    public let identifier: Identifier
    public let username: String
    public let displayName: String
    public let email: String?
    public let groups: [String]

    /// How many characters a name shown to people may have.
    public static let displayNameLengths = 1...128

    /// All group names travel to applications in one header, and proxies have small buffers for those.
    public static let maximumGroupsByteCount = 2_048

    /// - Throws: ``Refusal`` with `invalid_value` if a name can't be one.
    public init(
        username: String,
        displayName: String? = nil,
        email: String? = nil,
        groups: [String] = []
    ) throws(Refusal) {
        guard let identifier = Identifier(username) else {
            throw Refusal(.invalidValue, "the user name has characters that a name can't have")
        }
        let shown = displayName ?? username
        guard Self.isShowable(shown, in: Self.displayNameLengths) else {
            throw Refusal(.invalidValue, "the display name is empty, too long or has control characters")
        }
        guard email.map(Self.isAddress) ?? true else {
            throw Refusal(.invalidValue, "the mail address can't be one")
        }
        guard groups.allSatisfy(Self.isGroupName) else {
            throw Refusal(.invalidValue, "a group name is 1 to 64 letters, digits, '.', '_' or '-'")
        }
        guard groups.joined(separator: ",").utf8.count <= Self.maximumGroupsByteCount else {
            throw Refusal(.invalidValue, "all group names together have at most 2048 bytes")
        }
        self.identifier = identifier
        self.username = username
        self.displayName = shown
        self.email = email
        self.groups = groups
    }

    /// Whether text can be shown on one line and sent in a header.
    public static func isShowable(_ text: String, in lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy {
                switch $0.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
                case .format: $0 == "\u{200D}"
                default: true
                }
            }
    }

    /// Whether text can be a mail address at all.
    static func isAddress(_ text: String) -> Bool { isShowable(text, in: 3...254) && text.contains("@") }

    /// A group name stands in a comma-separated header.
    private static func isGroupName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
