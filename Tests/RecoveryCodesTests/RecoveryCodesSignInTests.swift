import GatehouseKit
import GatehouseTesting
import Testing

@testable import RecoveryCodesProvider

struct RecoveryCodesSignInTests {
    @Test(arguments: [" ", "", "-", "–", "  ", "\u{A0}", "\n"])
    func `a code is taken as people type it`(separator: String) throws {
        let list = try PrintedList()
        let grouped = list.codes[0].replacing("-", with: separator)
        for typed in [grouped, grouped.lowercased()] {
            #expect(try list.verify(typed).account == list.account.id)
        }
        for typed in [grouped + "0", "0" + grouped, String(grouped.dropLast()), grouped + ".", grouped + "é"] {
            #expect(list.refusal(of: typed)?.code == .credentialRejected)
        }
    }

    @Test func `look-alikes are read as what was printed`() {
        #expect(RecoveryCode(typed: Secret("oO01-iILl-aABb-z9u7")).text == "0001-1111-AABB-Z9U7")
        for other in ["0001-1111-AABB-Z9U", "0001-1111-AABB-Z9U77", "0001-1111-AABB-Z9Uſ", "٠001-1111-AABB-Z9U7"] {
            #expect(RecoveryCode(typed: Secret(other)) != RecoveryCode(typed: Secret("0001-1111-AABB-Z9U7")))
        }
    }

    @Test func `a code is good once`() throws {
        let list = try PrintedList()
        let evidence = try list.verify(list.codes[3])
        #expect(evidence.proof == Proof(factors: .possession))
        #expect(try #require(evidence.change).isEssential)
        #expect(list.vault.apply(evidence))
        #expect(list.refusal(of: list.codes[3])?.reason == "the recovery code was used before")
        // It stays used whatever is written after it.
        #expect(list.vault.apply(try list.verify(list.codes[4])))
        #expect(list.refusal(of: list.codes[3])?.code == .credentialRejected)
        #expect(list.refusal(of: list.codes[4])?.code == .credentialRejected)
        #expect(try list.verify(list.codes[5]).credential == evidence.credential)
    }

    @Test func `of two that use a code at the same moment one is asked again, and refused`() throws {
        let list = try PrintedList()
        let (first, second) = (try list.verify(list.codes[0]), try list.verify(list.codes[0]))
        #expect(list.vault.apply(second))
        #expect(!list.vault.apply(first))
        #expect(list.refusal(of: list.codes[0])?.code == .credentialRejected)
        // Two different ones both succeed, the second when asked again.
        let (third, fourth) = (try list.verify(list.codes[1]), try list.verify(list.codes[2]))
        #expect(list.vault.apply(third))
        #expect(!list.vault.apply(fourth))
        #expect(list.vault.apply(try list.verify(list.codes[2])))
        #expect(try list.summary()?["remaining"] == .number(7))
    }

    @Test func `a list that can't be read is an outage`() throws {
        let list = try PrintedList()
        let record = try #require(list.vault.records.first)
        for payload in Array(record.payload.truncations) + [record.payload + [0], [2] + record.payload.dropFirst()] {
            list.vault.replacePayload(of: record.id, with: payload)
            #expect(throws: SignInError.unavailable(ProviderFault("read recovery codes", code: 0, kind: .storage))) {
                try list.verify(list.codes[0])
            }
            #expect(!list.provider.canSignIn(with: try #require(list.vault.records.first)))
        }
        // Whatever bit turns, nothing stops the process.
        for payload in record.payload.bitFlips {
            list.vault.replacePayload(of: record.id, with: payload)
            _ = try? list.verify(list.codes[0])
        }
    }
}
