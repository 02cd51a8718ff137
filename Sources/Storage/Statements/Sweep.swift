import GatehouseKit

extension SQLTransaction {
    /// How many rows of a table go at once.
    private static let batch = 1_000
    /// How long a ceremony or link is remembered after its time, so that a late answer is told why.
    private static let grace = Timestamp.Span.minutes(10)
    /// How long it is remembered what happened.
    private static let auditMemory = Timestamp.Span.days(400)
    /// After a day without a failure a throttle has nothing to say.
    private static let throttleMemory = Timestamp.Span.hours(24)

    private static let familiarMemory = Timestamp.Span.days(30)
    /// How long an access token stays in its owner's list after its end, to be known by whoever wonders what stopped.
    private static let expiredTokenMemory = Timestamp.Span.days(30)

    /// Deletes some of what has expired, in batches small enough that nobody waits for them.
    ///
    /// - Returns: whether there may be more.
    func sweep(at now: Timestamp) throws(ProviderFault) -> Bool {
        let counts = [
            try connection.execute(
                "DELETE FROM ceremony WHERE id IN (SELECT id FROM ceremony WHERE expires_at < $1 LIMIT 1000)",
                [.time(now - Self.grace)]
            ),
            try connection.execute(
                "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at < $1 LIMIT 1000)",
                [.time(now)]
            ),
            try connection.execute(
                """
                DELETE FROM ended_session
                WHERE digest IN (SELECT digest FROM ended_session WHERE expires_at < $1 LIMIT 1000)
                """,
                [.time(now)]
            ),
            try connection.execute(
                "DELETE FROM throttle WHERE key IN (SELECT key FROM throttle WHERE last_failure_at < $1 LIMIT 1000)",
                [.time(now - Self.throttleMemory)]
            ),
            try connection.execute(
                "DELETE FROM familiar_source WHERE key IN (SELECT key FROM familiar_source WHERE seen_at < $1 LIMIT 1000)",
                [.time(now - Self.familiarMemory)]
            ),
            try connection.execute(
                """
                DELETE FROM audit_event
                WHERE number IN (SELECT number FROM audit_event WHERE at < $1 ORDER BY number LIMIT 1000)
                """,
                [.time(now - Self.auditMemory)]
            ),
        ]
        try connection.execute("DELETE FROM access_token WHERE expires_at < $1", [.time(now - Self.expiredTokenMemory)])
        try connection.execute("DELETE FROM link WHERE expires_at < $1", [.time(now - Self.grace)])
        return counts.contains(Self.batch)
    }
}
