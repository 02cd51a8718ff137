import FoundationEssentials
import GatehouseCore
import GatehouseKit

extension SQLTransaction: CeremonyReader, CeremonyWriter {
    func ceremony(_ id: CeremonyID) throws(ProviderFault) -> StoredCeremony? {
        let found = try first(
            """
            SELECT id, purpose, kinds, identifier, account, session, challenge, client, mediation, device, return_to,
                   signup, memo, begun_at, expires_at, attempts, consumed_at, remembered
            FROM ceremony WHERE id = $1
            """,
            [.id(id)],
            Self.ceremony
        )
        guard let found, found.purpose == .secondFactor else { return found }
        return found.keeping(evidence: try evidence(in: id))
    }

    func insert(_ ceremony: StoredCeremony) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO ceremony
                (id, purpose, kinds, identifier, account, session, challenge, client, mediation, device, return_to,
                 signup, memo, begun_at, expires_at, attempts, remembered)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16)
            """,
            [
                .id(ceremony.id), .text(ceremony.purpose.text),
                .text(ceremony.kinds.map(\.description).joined(separator: " ")),
                .optional(ceremony.identifier?.description), .optional(ceremony.account), .optional(ceremony.session),
                .blob(ceremony.challenge.bytes), .text(ceremony.client.rawValue), .text(ceremony.mediation.rawValue),
                .optional(ceremony.deviceID), .optional(ceremony.returnTo),
                .optional(try Self.encoded(ceremony.signup)),
                .blob(ceremony.memo), .time(ceremony.begunAt), .time(ceremony.expiresAt),
                .integer(ceremony.isRemembered ? 1 : 0),
            ]
        )
        for piece in ceremony.evidence { try insert(piece, into: ceremony.id) }
    }

    func reserveAttempt(_ id: CeremonyID, limit: Int64, at now: Timestamp) throws(ProviderFault) -> Bool {
        try changesOne(
            """
            UPDATE ceremony SET attempts = attempts + 1
            WHERE id = $1 AND consumed_at IS NULL AND expires_at > $2 AND attempts < $3
            """,
            [.id(id), .time(now), .integer(limit)]
        )
    }

    func consume(_ id: CeremonyID, at now: Timestamp) throws(ProviderFault) -> Bool {
        try changesOne(
            "UPDATE ceremony SET consumed_at = $1 WHERE id = $2 AND consumed_at IS NULL",
            [.time(now), .id(id)]
        )
    }

    private static func encoded(_ signup: SignupDraft?) throws(ProviderFault) -> [UInt8]? {
        guard let signup else { return nil }
        guard let json = try? JSONEncoder().encode(signup) else { throw ProviderFault("encode a sign-up", code: 0) }
        return [UInt8](json)
    }

    private static func signup(_ row: any SQLRow, _ column: Int32) throws(ProviderFault) -> SignupDraft? {
        guard let json = row.optionalBlob(column) else { return nil }
        guard let signup = try? JSONDecoder().decode(SignupDraft.self, from: Data(json)) else {
            throw ProviderFault("read a sign-up", code: 0, kind: .storage)
        }
        return signup
    }

    private static func challenge(_ bytes: [UInt8]) throws(ProviderFault) -> Challenge {
        guard bytes.count == Challenge.byteCount else {
            throw ProviderFault("read a challenge", code: bytes.count, kind: .storage)
        }
        return Challenge(bytes: bytes)
    }

    private static func ceremony(_ row: any SQLRow) throws(ProviderFault) -> StoredCeremony {
        StoredCeremony(
            id: row.id(0),
            purpose: try row.decode(1) { StoredCeremony.Purpose(text: $0) },
            kinds: row.text(2).split(separator: " ").compactMap { CredentialKind(untrusted: String($0)) },
            identifier: row.optionalText(3).map { Identifier(stored: $0) },
            account: row.optionalID(4),
            session: row.optionalID(5),
            challenge: try challenge(row.blob(6)),
            client: try row.decode(7) { ClientKind(rawValue: $0) },
            mediation: try row.decode(8) { Mediation(rawValue: $0) },
            deviceID: row.optionalText(9),
            returnTo: row.optionalText(10),
            isRemembered: row.integer(17) != 0,
            signup: try signup(row, 11),
            memo: row.blob(12),
            begunAt: row.time(13),
            expiresAt: row.time(14),
            attempts: row.integer(15),
            isConsumed: !row.isNull(16)
        )
    }
}

extension StoredCeremony.Purpose {
    private static let registrationPrefix = "register:"

    fileprivate var text: String {
        switch self {
        case .signIn: "sign-in"
        case .secondFactor: "second-factor"
        case .stepUp: "step-up"
        case .registration(let collection): Self.registrationPrefix + collection
        }
    }

    fileprivate init?(text: String) {
        switch text {
        case "sign-in": self = .signIn
        case "second-factor": self = .secondFactor
        case "step-up": self = .stepUp
        default:
            guard text.hasPrefix(Self.registrationPrefix) else { return nil }
            self = .registration(collection: String(text.dropFirst(Self.registrationPrefix.count)))
        }
    }
}
