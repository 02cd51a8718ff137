import GatehouseKit
import GatehouseTesting
import Testing

@testable import PasswordProvider

struct PasswordPolicyTests {
    private let lee = AccountReference(
        id: .random(),
        username: "lee.miller@example.com",
        displayName: "Lee Miller",
        userHandle: []
    )

    private func verdict(_ password: String, _ policy: PasswordPolicy = PasswordPolicy()) -> ProblemCode? {
        do {
            _ = try policy.accept(Secret(password), of: lee)
            return nil
        } catch {
            guard case .refused(let refusal) = error else { return nil }
            return refusal.code
        }
    }

    @Test(arguments: [
        ("fourteen chars", ProblemCode.passwordTooWeak), ("fifteen charact", nil),
        // Characters are code points, and there is no rule of composition.
        (String(repeating: "\u{1F600}", count: 15), nil), (String(repeating: "\u{1F600}", count: 14), .passwordTooWeak),
        (String(repeating: "a", count: 15), nil),
        (String(repeating: "\u{1F600}", count: 64), nil), (String(repeating: "a", count: 1_024), nil),
        (String(repeating: "a", count: 1_025), .passwordTooWeak), ("a line\nand another one", .passwordTooWeak),
        ("", .passwordTooWeak),
    ])
    func `length is all that counts`(password: String, verdict: ProblemCode?) {
        #expect(self.verdict(password) == verdict)
    }

    @Test(arguments: [
        "lee.miller@example.com", "LEE.MILLER@EXAMPLE.COM", "Lee Miller Lee Miller", "millermillermiller",
        "example.com-2026",
        "Gatehouse Gatehouse", "auth.example.net", "gatehouse-lee-1!", "lee@auth.example",
    ])
    func `the names of the place and the account are no password`(password: String) {
        let policy = PasswordPolicy(names: ["Gatehouse", "auth.example.net"])
        #expect(verdict(password, policy) == .passwordTooWeak)
        #expect(verdict(password + " ambulance", policy) == nil)
    }

    @Test func `what is on the block list is refused in either case of letters`() {
        let file = "correct horse battery\r\n\nÜbergangslösung 99\ncorrect horse\n"
        let policy = PasswordPolicy(blocked: PasswordList(Array(file.utf8)))
        #expect(verdict("Correct Horse Battery", policy) == .passwordTooWeak)
        #expect(verdict("übergangslösung 99", policy) == .passwordTooWeak)
        #expect(verdict("correct horse battery staple", policy) == nil)
        #expect(PasswordList(Array(file.utf8)).count == 3)
    }

    @Test func `what was seen in a breach is refused, and what an answer is padded with was not`() throws {
        let folder = TemporaryFolder()
        let lines = [("correct horse battery", 7), ("correct horse stable", 0)].map { password, count in
            BreachFiles.digits(of: password) + ":\(count)"
        }
        let file = try #require(BreachFile(BreachFiles.write(lines.sorted(), to: folder)))
        let policy = PasswordPolicy(breaches: Breaches(.file(file), isRequired: true, log: Log { _ in }))
        #expect(verdict("correct horse battery", policy) == .passwordBreached)
        #expect(verdict("correct horse stable", policy) == nil)
        #expect(verdict("Correct horse battery", policy) == nil)
    }
}
