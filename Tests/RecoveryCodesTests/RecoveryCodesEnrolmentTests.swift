import GatehouseKit
import GatehouseTesting
import Testing

@testable import RecoveryCodesProvider

struct RecoveryCodesEnrolmentTests {
    @Test func `ten codes are shown, and only what can't be read back is kept`() throws {
        let list = try PrintedList()
        #expect(list.codes.count == 10)
        #expect(list.codes.allSatisfy { $0.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/) != nil })
        let record = try #require(list.vault.records.first)
        let start = try PrintedList.begin(with: list.provider, list.account)
        let kept = [record.payload, record.key, start.memo].map { String(decoding: $0, as: Unicode.ASCII.self) }
        for code in list.codes + start.options.codes {
            let plain = code.replacing("-", with: "")
            #expect(kept.allSatisfy { !$0.contains(code) && !$0.contains(plain) })
        }
    }

    @Test func `equal codes of two accounts don't show`() {
        let code = RecoveryCode(typed: Secret("0123456789012345"))
        let (one, other) = (RecoveryCodeList(of: [code]), RecoveryCodeList(of: [code]))
        #expect(one.encoded.suffix(32) != other.encoded.suffix(32))
        #expect(one.place(of: code) == 0 && other.place(of: code) == 0)
    }

    @Test func `only who has one of the new codes stores them`() throws {
        let list = try PrintedList()
        let start = try PrintedList.begin(with: list.provider, list.account)
        let draft = CeremonyDraft.of(list.account).keeping(memo: start.memo)
        for code in [list.codes[0], "", "7QK2-M0XD-9HTA-R4VW", String(start.options.codes[0].dropLast())] {
            #expect(throws: SignInError.refused(Refusal(.credentialRejected, "not one of the new recovery codes"))) {
                try list.provider.finishEnrollment(
                    .init(code: Secret(code)),
                    of: list.account,
                    ceremony: draft.ceremony
                )
            }
        }
        // Each of them will do.
        for code in start.options.codes {
            _ = try list.provider.finishEnrollment(
                .init(code: Secret(code.lowercased())),
                of: list.account,
                ceremony: draft.ceremony
            )
        }
    }

    @Test func `the code that confirmed the list is still good`() throws {
        let list = try PrintedList()
        #expect(try list.verify(list.codes[9]).account == list.account.id)
        #expect(try list.summary()?["remaining"] == .number(10))
    }

    @Test func `a new list takes the place of the old one, and of no other account's`() throws {
        let list = try PrintedList()
        let other = list.vault.addAccount("kim")
        let others = try PrintedList.enrol(with: list.provider, in: list.vault, other)
        let codes = try PrintedList.enrol(with: list.provider, in: list.vault, list.account)
        #expect(list.vault.records.count == 2)
        #expect(list.refusal(of: list.codes[0])?.code == .credentialRejected)
        #expect(try list.verify(codes[0]).account == list.account.id)
        #expect(try list.verify(others[0], as: "kim").account == other.id)
        #expect(list.refusal(of: others[0])?.code == .credentialRejected)
    }

    @Test func `the list counts what is left`() throws {
        let list = try PrintedList()
        let record = try #require(list.vault.records.first)
        #expect(list.provider.canSignIn(with: record))
        for (used, code) in list.codes.enumerated() {
            #expect(
                try list.summary()
                    == .object([
                        "id": .string(record.id.text),
                        "createdAt": .string(record.createdAt.rfc3339),
                        "remaining": .number(Double(10 - used)),
                        "total": .number(10),
                    ])
            )
            #expect(list.vault.apply(try list.verify(code)))
        }
        #expect(try list.summary()?["remaining"] == .number(0))
        #expect(!list.provider.canSignIn(with: try #require(list.vault.records.first)))
    }
}
