import GatehouseKit
import GatehouseTesting
import Testing

@testable import PasswordProvider

/// Hashes on their way in, spelt as other systems spell them.
struct ForeignHashTests {
    private let provider = PasswordProvider(vault: MemoryVault())
    private let lee = MemoryVault().addAccount("lee")

    private func payload(_ text: String) throws -> String {
        String(decoding: try provider.credential(importing: text, of: lee).payload, as: UTF8.self)
    }

    private func reason(_ text: String) -> String? {
        do throws(Refusal) {
            _ = try provider.credential(importing: text, of: lee)
            return nil
        } catch { return error.reason.description }
    }

    @Test(arguments: KnownHashes.all)
    func `a hash in a known form is kept as it is`(text: String) throws {
        #expect(try payload(text) == text)
    }

    /// Django's own default of eight lanes, made by libargon2; and bcrypt by crypt(3).
    @Test(arguments: [
        "argon2$argon2id$v=19$m=256,t=2,p=8$MDEyMzQ1Njc4OWFiY2RlZg$AadaMXqX5kFiapJqfkbhBPxpT97mi0pTJlYKNwU1570",
        "bcrypt$$2b$05$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
    ])
    func `Django's name in front is taken off`(text: String) throws {
        let stored = try payload(text)
        #expect(text.hasSuffix(stored) && stored.hasPrefix("$"))
        #expect(try #require(HashForms.parse(stored, within: .max)).matches(Array(KnownHashes.password.utf8)))
    }

    /// Python's hashlib and struct, laid out as ASP.NET Core does.
    @Test func `a hash of ASP.NET Core becomes a PHC string`() throws {
        let stored = try payload("AQAAAAIAAAPoAAAAEDAxMjM0NTY3ODlhYmNkZWYnfT0rqgO/k1Zdc09K54mvmq5Q4fFBs0vNmu5qRzxtmA==")
        #expect(stored.hasPrefix("$pbkdf2-sha512$1000$MDEyMzQ1Njc4OWFiY2RlZg$"))
        #expect(try #require(HashForms.parse(stored, within: .max)).matches(Array(KnownHashes.password.utf8)))
    }

    /// Another function, a salt longer than the whole, and one that ends early.
    @Test(arguments: [
        "AQAAAAMAAAPoAAAAEDAxMjM0NTY3ODlhYmNkZWYnfT0rqgO/k1Zdc09K54mvmq5Q4fFBs0vNmu5qRzxtmA==",
        "AQAAAAIAAAPo/////zAxMjM0NTY3ODlhYmNkZWYnfT0rqgO/k1Zdc09K54mvmq5Q4fFBs0vNmu5qRzxtmA==", "AQAAAAIAAAPoAAAA",
    ])
    func `a damaged hash of ASP.NET Core is none`(text: String) {
        #expect(reason(text)?.contains("no known form") == true)
    }

    @Test(arguments: [
        "$2b$15$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$6$abcdefgh$Y01VoZocPU9aaBu0jnHN8VYTyYVXhbhZG0",
        "$argon2id$v=19$m=4194304,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg",
        "argon2$argon2id$v=19$m=4194304,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg",
        "pbkdf2_sha256$2000001$saltysalt$bq/542H6BPjMRfuraNfuphb9qr2uuV/a/RH1hhLA/Xg=",
        "AQAAAAIAHoSBAAAAEDAxMjM0NTY3ODlhYmNkZWYnfT0rqgO/k1Zdc09K54mvmq5Q4fFBs0vNmu5qRzxtmA==",
    ])
    func `a known form that is damaged or costs too much is said to be`(text: String) {
        #expect(reason(text)?.contains("damaged") == true)
    }

    @Test(arguments: [
        "bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$P$B12345678abcdefghijklmnopqrstu",
        "scrypt$16384$salt$8$5$AAAA", "scrypt:32768:8:1$salt$00", "pbkdf2:sha256:260000$salt$00", "$S$Dabc",
    ])
    func `a form that is not supported is named`(text: String) {
        #expect(reason(text)?.contains("not supported") == true)
    }

    @Test(arguments: ["correct horse 42", "$ecret", "{secret}", "0123456789abcdef0123456789abcdef", "AQAAAA", " "])
    func `a password in plain text is no hash`(text: String) {
        #expect(reason(text)?.contains("plain text is never imported") == true)
    }
}
