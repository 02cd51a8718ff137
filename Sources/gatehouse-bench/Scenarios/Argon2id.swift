import CArgon2
import PasswordProvider

/// One Argon2id hash at 19 MiB, t = 2, p = 1, beside Debian's libargon2 called from C.
struct Argon2id: Scenario {
    let name = "argon2id"
    let budget = 0.98

    private static let cost = HashCost()

    func run() throws -> Double {
        let password = Array(Site.password.utf8)
        let encoded = try Argon2.hash(password, cost: Self.cost)
        return try AlternatingRounds(rounds: 15, repetitionsPerRound: 2).ratio(
            of: {
                guard try Argon2.verify(password, matches: encoded) else { throw ScenarioFault(reason: "refused") }
            },
            to: {
                var tag = [UInt8](repeating: 0, count: 32)
                let salt = [UInt8](repeating: 7, count: 16)
                let code = unsafe argon2id_hash_raw(
                    Self.cost.passes,
                    Self.cost.memoryKiB,
                    Self.cost.lanes,
                    password,
                    password.count,
                    salt,
                    salt.count,
                    &tag,
                    tag.count
                )
                guard code == ARGON2_OK.rawValue else { throw ScenarioFault(reason: "libargon2 says \(code)") }
            }
        )
    }
}
