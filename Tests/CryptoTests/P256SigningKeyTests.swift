import Crypto
import Testing
import Wire

struct P256SigningKeyTests {
    /// RFC 6979 §A.2.5, as PKCS #8.
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
        Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
        +mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
        -----END PRIVATE KEY-----
        """

    @Test func `a signature is that of the key, in the form of JOSE`() throws {
        let key = try #require(P256SigningKey(pem: Self.pem))
        let x = Hexadecimal.bytes(of: "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6") ?? []
        let y = Hexadecimal.bytes(of: "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299") ?? []
        let publicKey = try P256PublicKey(x: x, y: y)
        // Often enough for numbers with leading zeros.
        for index in 0..<600 {
            let message = Array("message \(index)".utf8)
            let signature = try key.signature(over: message)
            #expect(signature.count == 64 && publicKey.isValid(rawSignature: signature, over: message))
        }
    }

    @Test(arguments: [
        "", "x", pem + "\n" + pem, pem.replacing("PRIVATE KEY", with: "PUBLIC KEY"),
        pem.replacing("MIGH", with: "MIGG"),
        pem.replacing("-----END PRIVATE KEY-----", with: ""),
        // Ed25519 (RFC 8410 §10.3).
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----",
    ])
    func `anything but one P-256 key is refused`(text: String) {
        #expect(P256SigningKey(pem: text) == nil)
    }
}
