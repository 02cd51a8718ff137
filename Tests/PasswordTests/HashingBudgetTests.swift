import Dispatch
import GatehouseKit
import GatehouseTesting
import Synchronization
import Testing

@testable import PasswordProvider

struct HashingBudgetTests {
    /// What a crowd of hashes took at once.
    private final class Gauge: Sendable {
        private let state = Mutex<(now: Int, most: Int)>((0, 0))

        func add(_ bytes: Int) {
            state.withLock {
                $0.now += bytes
                $0.most = max($0.most, $0.now)
            }
        }

        var most: Int { state.withLock { $0.most } }
    }

    @Test func `hashes of any size never take more than there is at once, and all get their turn`() throws {
        let (budget, gauge) = (HashingBudget(size: 100), Gauge())
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            let bytes = [1, 40, 60, 100][index % 4]
            try? budget.spend(bytes) { () throws(ProviderFault) in
                gauge.add(bytes)
                gauge.add(-bytes)
            }
        }
        #expect((60...100).contains(gauge.most))
    }

    @Test func `memory comes back when hashing fails`() throws {
        let budget = HashingBudget(size: 10)
        for _ in 0..<3 {
            #expect(throws: ProviderFault.self) {
                try budget.spend(10) { () throws(ProviderFault) in throw ProviderFault("hash", code: 1) }
            }
        }
        #expect(try budget.spend(10) { 1 } == 1)
    }

    @Test(arguments: [
        ("$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg", 64 << 20),
        ("$scrypt$ln=15,r=8,p=1$c29tZXNhbHRzb21lc2FsdA$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg", 32 << 20),
        ("$y$j9T$abcdefgh$" + String(repeating: "a", count: 43), 16 << 20),
        ("$2b$10$abcdefghijklmnopqrstuuiYfj.JCH/8Hff5KmeyaPABzfEqwvS.a", 0),
    ])
    func `a hash says what it takes, and one that takes more than there is, is none`(text: String, memory: Int) throws {
        #expect(try #require(HashForms.parse(text, within: memory)).memory == memory)
        if memory > 0 { #expect(HashForms.parse(text, within: memory - 1) == nil) }
        let small = PasswordProvider(
            vault: MemoryVault(),
            hasher: PasswordHasher(cost: HashCost(memoryKiB: 64), budget: HashingBudget(size: 1 << 20))
        )
        let account = MemoryVault().addAccount("alice")
        if memory > 0 {
            #expect(throws: Refusal.self) { try small.credential(importing: text, of: account) }
        } else {
            _ = try small.credential(importing: text, of: account)
        }
    }
}
