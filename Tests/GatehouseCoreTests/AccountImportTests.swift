import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

struct AccountImportTests {
    let gateway: Gateway

    init() throws { gateway = try Gateway() }

    private func run(_ accounts: [ForeignAccount], dry: Bool = false) throws -> [ImportedRecord.Outcome] {
        let provider = try #require(gateway.registry.importing)
        var run = AccountImport(storage: gateway.storage, provider: provider, clock: gateway.clock, isDryRun: dry)
        var records: [ImportedRecord] = []
        for (index, account) in accounts.enumerated() {
            records += try run.add(ForeignRecord(.line(index + 1), .success(account)))
        }
        records += try run.finish()
        #expect(records.map(\.place) == accounts.indices.map { .line($0 + 1) })
        return records.map(\.outcome)
    }

    private func named(_ name: String?, email: String? = nil, word: String? = "word:open") -> ForeignAccount {
        ForeignAccount(username: name, email: email, storedSecret: word)
    }

    private static let duplicate = ImportedRecord.Outcome.refused(
        "a record before it has the same user name or e-mail address, in whatever case"
    )

    @Test func `an account is made with all it had`() throws {
        let foreign = ForeignAccount(
            username: "Lee",
            email: "lee@example.test",
            displayName: "Lee L.",
            groups: ["staff", "admin"],
            isDisabled: true,
            storedSecret: "word:open"
        )
        #expect(try run([foreign]) == [.imported(hasSecret: true)])
        let lee = try gateway.accounts.find("lee")
        #expect(lee.username == "Lee" && lee.email == "lee@example.test" && lee.displayName == "Lee L.")
        #expect(lee.groups == ["staff", "admin"] && lee.isDisabled)
        let (credentials, events) = try gateway.storage.read { (reader) throws(ProviderFault) in
            (try reader.credentials(of: lee.id), try reader.auditEvents(of: lee.id, limit: 9))
        }
        #expect(credentials.map(\.record.payload) == [Array("open".utf8)])
        #expect(events.map(\.action) == [.accountDisabled, .accountImported])
    }

    @Test func `an address stands in for a name, and a password may be missing`() throws {
        #expect(try run([named("", email: "lee@example.test", word: "")]) == [.imported(hasSecret: false)])
        let lee = try gateway.accounts.find("lee@example.test")
        #expect(!lee.isDisabled)
    }

    @Test(
        arguments: [(nil, nil, "word:x"), ("a b", nil, "word:x"), ("lee", "nowhere", "word:x"), ("lee", nil, "x")]
            as [(String?, String?, String)]
    )
    func `a record is refused for its name, its address or its hash`(
        name: String?,
        email: String?,
        word: String
    ) throws {
        let outcomes = try run([named(name, email: email, word: word), named("kim")])
        guard case .refused = outcomes[0] else {
            Issue.record("not refused")
            return
        }
        #expect(outcomes[1] == .imported(hasSecret: true))
        #expect(try gateway.accounts.list(after: nil, limit: 9).map(\.username) == ["kim"])
    }

    @Test func `of two records of one name or address the first is taken`() throws {
        let outcomes = try run([
            named("lee", email: "lee@example.test"), named("LEE"), named("lea", email: "Lee@Example.test"),
            named("\u{FF4C}ee"), named("kim", email: "kim@example.test"),
        ])
        let taken = ImportedRecord.Outcome.imported(hasSecret: true)
        #expect(outcomes == [taken, Self.duplicate, Self.duplicate, Self.duplicate, taken])
    }

    @Test func `a refused record doesn't take its name away from a good one`() throws {
        #expect(try run([named("lee", word: "no"), named("lee")])[1] == .imported(hasSecret: true))
    }

    @Test func `an account that is there is left as it is`() throws {
        let lee = try gateway.accounts.create(try AccountProfile(username: "lee", email: "lee@example.test"))
        let records = [named("Lee"), named("other", email: "LEE@example.test")]
        #expect(try run(records, dry: true) == [.existing, .existing])
        #expect(try run(records) == [.existing, .existing])
        #expect(try gateway.accounts.list(after: nil, limit: 9) == [lee])
        #expect(
            try gateway.storage.read { (reader) throws(ProviderFault) in try reader.credentials(of: lee.id) }.isEmpty
        )
    }

    @Test func `a second run adds what the first did not, over several batches`() throws {
        let accounts = (0..<600).map { named("user\($0)") }
        let first = try run(Array(accounts.prefix(300)))
        #expect(first == [ImportedRecord.Outcome](repeating: .imported(hasSecret: true), count: 300))
        let second = try run(accounts)
        #expect(second.count { $0 == .existing } == 300 && second.prefix(300).allSatisfy { $0 == .existing })
        #expect(second.count { $0 == .imported(hasSecret: true) } == 300)
        #expect(try gateway.accounts.list(after: nil, limit: 1_000).count == 600)
    }

    @Test func `a dry run foresees and stores nothing`() throws {
        #expect(
            try run([named("lee"), named("kim", word: nil)], dry: true) == [
                .imported(hasSecret: true), .imported(hasSecret: false),
            ]
        )
        #expect(try gateway.accounts.list(after: nil, limit: 9).isEmpty)
    }

    @Test(arguments: ["$2b$10$abcdefghijklmnopqrstuu", "{SSHA}mng", "a\u{1B}[2J"])
    func `a name that may be a hash, or do something to a terminal, is not shown`(name: String) throws {
        let provider = try #require(gateway.registry.importing)
        var run = AccountImport(storage: gateway.storage, provider: provider, clock: gateway.clock, isDryRun: true)
        for name in ["lee", name] {
            _ = try run.add(ForeignRecord(.line(1), .success(named(name))))
        }
        #expect(try run.finish().map(\.username) == ["lee", nil])
    }
}
