import GatehouseCore
import GatehouseKit

extension SQLTransaction: LinkReader, LinkWriter {
    func link(digest: TokenDigest) throws(ProviderFault) -> StoredLink? {
        try first(
            "SELECT purpose, account, expires_at, used_at FROM link WHERE digest = $1",
            [.blob(digest.bytes)]
        ) { (row) throws(ProviderFault) in
            StoredLink(
                digest: digest,
                purpose: try row.decode(0) { StoredLink.Purpose(rawValue: $0) },
                account: row.optionalID(1),
                expiresAt: row.time(2),
                isUsed: !row.isNull(3)
            )
        }
    }

    func insert(_ link: StoredLink) throws(ProviderFault) {
        try connection.execute(
            "INSERT INTO link (digest, purpose, account, expires_at) VALUES ($1, $2, $3, $4)",
            [.blob(link.digest.bytes), .text(link.purpose.rawValue), .optional(link.account), .time(link.expiresAt)]
        )
    }

    func consumeLink(digest: TokenDigest, at now: Timestamp) throws(ProviderFault) -> Bool {
        try changesOne(
            "UPDATE link SET used_at = $1 WHERE digest = $2 AND used_at IS NULL AND expires_at > $1",
            [.time(now), .blob(digest.bytes)]
        )
    }

    func withdrawLinks(for purpose: StoredLink.Purpose, of account: AccountID?) throws(ProviderFault) {
        try connection.execute(
            "DELETE FROM link WHERE purpose = $1 AND COALESCE(account, '') = $2 AND used_at IS NULL",
            [.text(purpose.rawValue), .text(account?.text ?? "")]
        )
    }
}
