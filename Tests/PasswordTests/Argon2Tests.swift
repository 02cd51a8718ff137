import GatehouseKit
import PasswordProvider
import Testing

struct Argon2Tests {
    /// Made with the reference implementation's command line tool.
    let known = "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg"

    @Test func `a hash of the reference tool is verified`() throws {
        #expect(try Argon2.verify(Array("correct horse 42".utf8), matches: known))
        #expect(try !Argon2.verify(Array("correct horse 43".utf8), matches: known))
    }

    @Test func `what is hashed is verified, under a new salt each time`() throws {
        let cost = HashCost(memoryKiB: 64, passes: 1)
        let first = try Argon2.hash(Array("p\u{0}w".utf8), cost: cost)
        #expect(try Argon2.verify(Array("p\u{0}w".utf8), matches: first))
        #expect(try !Argon2.verify(Array("p".utf8), matches: first))
        #expect(try first != Argon2.hash(Array("p\u{0}w".utf8), cost: cost))
    }

    @Test(arguments: [
        "m=4294967295,t=2,p=1", "m=19456,t=4294967295,p=1", "m=19456,t=2,p=4294967295", "m=7,p=1,t=1", "m=0,t=2,p=1",
        "m=7,t=1,p=1", "t=2,m=19456,p=1", "m=019456,t=2,p=1", "m=19456,t=2", "m=19456,t=2,p=1,keyid=x", "m=-1,t=2,p=1",
        "m=99999999999999999999,t=2,p=1",
    ])
    func `a stored hash can't ask for more than the ceiling, nor in another grammar`(parameters: String) {
        let hash = "$argon2id$v=19$\(parameters)$MDEyMzQ1Njc4OWFiY2RlZg$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg"
        #expect(throws: ProviderFault.self) { try Argon2.verify([1], matches: hash) }
    }

    @Test(arguments: ["", "$argon2id$", "plain text", "$argon2i$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$teFTS9Bt8Q"])
    func `other text is no hash`(text: String) {
        #expect(throws: ProviderFault.self) { try Argon2.verify([1], matches: text) }
    }
}
