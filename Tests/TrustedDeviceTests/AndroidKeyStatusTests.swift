import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider
import WebClient

struct AndroidKeyStatusTests {
    private static func take(_ text: String, into status: AndroidKeyStatus) throws {
        try status.take(Array(text.utf8), at: Timestamp(milliseconds: 0), Log { _ in })
    }

    private func refusal(_ list: String) throws -> String? {
        let status = AndroidKeyStatus()
        try Self.take(list, into: status)
        let attested = try AttestedSite(status: status)
        return try AttestedSite.refusal { try attested.enrolAndroid() }
    }

    /// The certificates of these tests have the serial number 7.
    @Test(arguments: [
        #"{"entries":{"7":{"status":"REVOKED","reason":"KEY_COMPROMISE"}}}"#,
        #"{"entries":{"07":{"status":"SUSPENDED"}}}"#, #"{"entries":{"8":{"status":"REVOKED"},"7":{"status":"NEW"}}}"#,
    ])
    func `a key on the list is refused`(list: String) throws {
        #expect(try refusal(list) == "attestation_untrusted: an attestation certificate was revoked")
    }

    @Test func `a key that is not on the list is taken`() throws {
        #expect(try refusal(#"{"entries":{"8":{"status":"REVOKED"},"77":{"status":"REVOKED"}}}"#) == nil)
        #expect(try refusal(#"{"entries":{}}"#) == nil)
    }

    @Test func `without the list nobody can say, and that is an outage`() throws {
        let attested = try AttestedSite(status: AndroidKeyStatus())
        #expect {
            _ = try attested.enrolAndroid()
        } throws: { error in
            guard case SignInError.unavailable(let fault) = error else { return false }
            return fault.kind == .dependency
        }
    }

    @Test(arguments: ["", "{}", #"{"entries":[]}"#, #"{"entries":{"7":{}}}"#, #"{"entries":{"7":1}}"#])
    func `something else is no list, and leaves the one in use`(text: String) throws {
        let status = AndroidKeyStatus()
        #expect(throws: DocumentProblem.self) { try Self.take(text, into: status) }
        #expect(!status.isKnown)
        try Self.take(#"{"entries":{"7":{"status":"REVOKED"}}}"#, into: status)
        #expect(throws: DocumentProblem.self) { try Self.take(text, into: status) }
        let attested = try AttestedSite(status: status)
        #expect(try AttestedSite.refusal { try attested.enrolAndroid() } != nil)
    }
}
