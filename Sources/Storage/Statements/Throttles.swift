import GatehouseCore
import GatehouseKit

extension SQLTransaction: ThrottleReader, ThrottleWriter {
    func throttle(_ key: ThrottleKey) throws(ProviderFault) -> ThrottleState? {
        try first(
            "SELECT failures, blocked_until, last_failure_at FROM throttle WHERE key = $1",
            [.text(key.text)]
        ) { ThrottleState(failures: $0.integer(0), blockedUntil: $0.time(1), lastFailureAt: $0.time(2)) }
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
