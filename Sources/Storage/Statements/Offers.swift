import GatehouseCore
import GatehouseKit

extension SQLTransaction: OfferReader, OfferWriter {
    func offer(_ id: OfferID) throws(ProviderFault) -> StoredOffer? {
        try first(
            "SELECT id, account, session, kind, mode, made_at, answer, installation FROM offer WHERE id = $1",
            [.id(id)],
            Self.offer
        )
    }

    func offers(to account: AccountID, of kind: CredentialKind) throws(ProviderFault) -> [StoredOffer] {
        try connection.query(
            """
            SELECT id, account, session, kind, mode, made_at, answer, installation
            FROM offer WHERE account = $1 AND kind = $2 ORDER BY made_at DESC
            """,
            [.id(account), .text(kind.description)],
            Self.offer
        )
    }

    func insert(_ offer: StoredOffer) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO offer (id, account, session, kind, mode, made_at, installation)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .id(offer.id), .id(offer.account), .id(offer.session), .text(offer.kind.description),
                .text(offer.mode.rawValue), .time(offer.madeAt), .optional(offer.installation),
            ]
        )
    }

    func answer(_ id: OfferID, with answer: StoredOffer.Answer, at time: Timestamp) throws(ProviderFault) -> Bool {
        try changesOne(
            "UPDATE offer SET answer = $1, answered_at = $2 WHERE id = $3 AND answer IS NULL",
            [.text(answer.rawValue), .time(time), .id(id)]
        )
    }

    private static func offer(_ row: any SQLRow) throws(ProviderFault) -> StoredOffer {
        StoredOffer(
            id: row.id(0),
            account: row.id(1),
            session: row.id(2),
            kind: try row.decode(3) { CredentialKind(untrusted: $0) },
            mode: try row.decode(4) { StoredOffer.Mode(rawValue: $0) },
            installation: row.optionalBlob(7),
            madeAt: row.time(5),
            answer: row.optionalText(6).flatMap { StoredOffer.Answer(rawValue: $0) }
        )
    }
}
