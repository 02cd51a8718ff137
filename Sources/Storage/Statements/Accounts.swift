import GatehouseCore
import GatehouseKit

extension SQLTransaction: AccountReader, AccountWriter {
    func account(_ id: AccountID) throws(ProviderFault) -> Account? {
        try first(
            """
            SELECT id, identifier, username, display_name, email, user_handle, member_of, disabled_at, created_at
            FROM account WHERE id = $1
            """,
            [.id(id)],
            Self.account
        )
    }

    func account(named identifier: Identifier) throws(ProviderFault) -> Account? {
        try first(
            """
            SELECT id, identifier, username, display_name, email, user_handle, member_of, disabled_at, created_at
            FROM account WHERE identifier = $1
            """,
            [.text(identifier.description)],
            Self.account
        )
    }

    func account(userHandle: [UInt8]) throws(ProviderFault) -> Account? {
        try first(
            """
            SELECT id, identifier, username, display_name, email, user_handle, member_of, disabled_at, created_at
            FROM account WHERE user_handle = $1
            """,
            [.blob(userHandle)],
            Self.account
        )
    }

    func accounts(after last: Identifier?, limit: Int) throws(ProviderFault) -> [Account] {
        try connection.query(
            """
            SELECT id, identifier, username, display_name, email, user_handle, member_of, disabled_at, created_at
            FROM account WHERE identifier > $1 ORDER BY identifier LIMIT $2
            """,
            [.text(last?.description ?? ""), .integer(Int64(limit))],
            Self.account
        )
    }

    func hasAccounts() throws(ProviderFault) -> Bool {
        try exists("SELECT 1 FROM account LIMIT 1", [])
    }

    func hasAccount(email: String) throws(ProviderFault) -> Bool {
        try exists("SELECT 1 FROM account WHERE lower(email) = lower($1) LIMIT 1", [.text(email)])
    }

    func insert(_ account: Account) throws(ProviderFault) -> Bool {
        try changesOne(
            """
            INSERT INTO account
                (id, identifier, username, display_name, email, user_handle, member_of, disabled_at, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8)
            ON CONFLICT DO NOTHING
            """,
            [
                .id(account.id), .text(account.identifier.description), .text(account.username),
                .text(account.displayName), .optional(account.email), .blob(account.userHandle),
                .text(account.groups.joined(separator: ",")), .time(account.createdAt),
            ]
        )
    }

    func disable(_ account: AccountID, at time: Timestamp?) throws(ProviderFault) -> Bool {
        try changesOne("UPDATE account SET disabled_at = $1 WHERE id = $2", [.optional(time), .id(account)])
    }

    func delete(_ account: AccountID) throws(ProviderFault) -> Bool {
        try keepRemnants(of: account)
        return try changesOne("DELETE FROM account WHERE id = $1", [.id(account)])
    }

    private static func account(_ row: any SQLRow) throws(ProviderFault) -> Account {
        Account(
            id: row.id(0),
            identifier: Identifier(stored: row.text(1)),
            username: row.text(2),
            displayName: row.text(3),
            email: row.optionalText(4),
            userHandle: row.blob(5),
            groups: row.text(6).split(separator: ",").map(String.init),
            isDisabled: !row.isNull(7),
            createdAt: row.time(8)
        )
    }
}
