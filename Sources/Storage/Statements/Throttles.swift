import GatehouseCore
import GatehouseKit

extension SQLTransaction: ThrottleReader, ThrottleWriter {
    func throttle(_ key: ThrottleKey) throws(ProviderFault) -> ThrottleState? {
        try first(
            "SELECT failures, blocked_until, last_failure_at FROM throttle WHERE key = $1",
            [.text(key.text)]
        ) { ThrottleState(failures: $0.integer(0), blockedUntil: $0.time(1), lastFailureAt: $0.time(2)) }
    }

    func isFamiliar(_ key: ThrottleKey) throws(ProviderFault) -> Bool {
        try first("SELECT 1 FROM familiar_source WHERE key = $1", [.text(key.text)]) { _ in true } ?? false
    }

    /// Once a day is enough, for what is remembered for a month.
    func setFamiliar(_ key: ThrottleKey, at now: Timestamp) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO familiar_source (key, seen_at) VALUES ($1, $2)
            ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at WHERE familiar_source.seen_at < $3
            """,
            [.text(key.text), .time(now), .time(now - .days(1))]
        )
    }

    func setThrottle(_ key: ThrottleKey, to state: ThrottleState) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO throttle (key, failures, blocked_until, last_failure_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, blocked_until = excluded.blocked_until,
                last_failure_at = excluded.last_failure_at
            """,
            [.text(key.text), .integer(state.failures), .time(state.blockedUntil), .time(state.lastFailureAt)]
        )
    }

    func clearThrottle(_ key: ThrottleKey) throws(ProviderFault) {
        try connection.execute("DELETE FROM throttle WHERE key = $1", [.text(key.text)])
    }
}
