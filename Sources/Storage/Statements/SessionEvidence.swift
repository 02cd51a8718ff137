import GatehouseCore
import GatehouseKit

/// What was proved: in a session, or in the steps before of a sign-in that takes several.
extension SQLTransaction {
    func insert(_ piece: SessionEvidence, into session: SessionID) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO session_evidence (session, kind, credential, factors, traits, proved_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [.id(session)] + Self.values(of: piece)
        )
    }

    func insert(_ piece: SessionEvidence, into ceremony: CeremonyID) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO ceremony_evidence (ceremony, kind, credential, factors, traits, proved_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [.id(ceremony)] + Self.values(of: piece)
        )
    }

    func evidence(in session: SessionID) throws(ProviderFault) -> [SessionEvidence] {
        try connection.query(
            """
            SELECT kind, credential, factors, traits, proved_at
            FROM session_evidence WHERE session = $1 ORDER BY proved_at, kind
            """,
            [.id(session)],
            Self.piece
        )
    }

    func evidence(in ceremony: CeremonyID) throws(ProviderFault) -> [SessionEvidence] {
        try connection.query(
            """
            SELECT kind, credential, factors, traits, proved_at
            FROM ceremony_evidence WHERE ceremony = $1 ORDER BY proved_at, kind
            """,
            [.id(ceremony)],
            Self.piece
        )
    }

    private static func values(of piece: SessionEvidence) -> [SQLValue] {
        [
            .text(piece.kind.description), .id(piece.credential), .integer(Int64(piece.proof.factors.rawValue)),
            .integer(piece.proof.traits), .time(piece.at),
        ]
    }

    private static func piece(_ row: any SQLRow) throws(ProviderFault) -> SessionEvidence {
        SessionEvidence(
            kind: try row.decode(0) { CredentialKind(untrusted: $0) },
            credential: row.id(1),
            proof: Proof(
                factors: Proof.Factors(rawValue: UInt8(truncatingIfNeeded: row.integer(2))),
                traits: row.integer(3)
            ),
            at: row.time(4)
        )
    }
}

extension Proof {
    /// The yes-or-no traits as bits of a stored integer.
    fileprivate var traits: Int64 {
        (phishingResistant ? 1 : 0) | (userVerified ? 2 : 0) | (deviceBound ? 4 : 0) | (attested ? 8 : 0)
    }

    fileprivate init(factors: Factors, traits: Int64) {
        self.init(
            factors: factors,
            phishingResistant: traits & 1 != 0,
            userVerified: traits & 2 != 0,
            deviceBound: traits & 4 != 0,
            attested: traits & 8 != 0
        )
    }
}
