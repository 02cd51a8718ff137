import Foundation
import GatehouseTesting
import Testing
import WebAuthn
import Wire

struct AssertionRefusalTests {
    static let clientData = [
        Tampering("of the other ceremony", .wrongType) { $1.setClientData("type", to: #""webauthn.create""#) },
        Tampering("of a payment", .wrongType) { $1.setClientData("type", to: #""payment.get""#) },
        Tampering("of another letter case", .wrongType) { $1.setClientData("type", to: #""WebAuthn.get""#) },
        Tampering("of no type", .wrongType) { $1.setClientData("type", to: #""""#) },
        Tampering("of another challenge", .challengeMismatch) { site, _ in
            site.assertionExpectation.challenge[0] ^= 1
        },
        Tampering("from another origin", .originMismatch) { site, _ in site.origin = "https://evil.test" },
        Tampering("from a frame", .crossOriginRefused) { $1.setClientData("crossOrigin", to: "true") },
        Tampering("with a page on top", .topOriginRefused) {
            $1.setClientData("topOrigin", to: #""https://evil.test""#)
        },
    ]

    static let authenticatorData = [
        Tampering("for another relying party", .rpIDMismatch) { $1.authenticatorData = { $0[31] ^= 1 } },
        Tampering("with presence only", .userVerificationMissing) { $1.flags = { $0 = 0x01 } },
        Tampering("with no flag", .userPresenceMissing) { $1.flags = { $0 = 0x00 } },
        Tampering("with verification only", .userPresenceMissing) { $1.flags = { $0 = 0x04 } },
        Tampering("backed up, yet not eligible", .backupStateInvalid) { $1.flags = { $0 |= 0x10 } },
        Tampering("suddenly eligible for backup", .backupEligibilityChanged) { $1.flags = { $0 |= 0x18 } },
        Tampering("with a counter that stood still", .counterRegressed) { $1.signCount = { $0 = 1 } },
        Tampering("with a counter that fell to zero", .counterRegressed) { $1.signCount = { $0 = 0 } },
        Tampering(
            "with the flag for a credential, and none",
            .malformedAuthenticatorData(WireFault(.truncated(needed: 16, available: 0), at: 37))
        ) {
            $1.flags = { $0 |= 0x40 }
        },
        Tampering("with a credential in its data", .attestedCredentialUnexpected) {
            $1.flags = { $0 |= 0x40 }
            $1.authenticatorData = { $0 += [UInt8](repeating: 0, count: 16) + [0, 1, 7, 0xA0] }
        },
    ]

    static let identity = [
        Tampering("of another credential", .credentialIDMismatch) {
            $1.assertion = {
                $0.id = "AAAA"; $0.rawId = "AAAA"
            }
        },
        Tampering("of a credential that was not allowed", .credentialNotAllowed) { site, _ in
            site.assertionExpectation.allowedCredentials = [Base64URL(bytes: [1])]
        },
        Tampering("of nobody", .userHandleMissing) { $1.assertion = { $0.response.userHandle = nil } },
        Tampering("of an empty user handle", .userHandleMismatch) { $1.assertion = { $0.response.userHandle = "" } },
        Tampering("of another account", .userHandleMismatch) { site, _ in
            site.assertionExpectation.userHandle[0] ^= 1
        },
        Tampering("without a signature", .signatureInvalid) { $1.signature = { $0 = [] } },
        Tampering("of another key's signature", .signatureInvalid) {
            $1.signature = { $0 = SigningKey(.es256).sign([1]) }
        },
    ]

    @Test(arguments: clientData + authenticatorData + identity)
    func `an assertion is refused`(tampering: Tampering) throws {
        var site = Site()
        let authenticator = SoftAuthenticator()
        let record = try site.register(authenticator).credential
        _ = try site.signIn(authenticator, by: record)
        var alterations = Alterations()
        let allowed = site.requestOptions
        tampering.change(&site, &alterations)
        let json = try authenticator.get(
            optionsJSON: JSONEncoder().encode(allowed),
            origin: site.origin,
            altering: alterations
        )
        let response = try JSONDecoder().decode(AuthenticationResponseJSON.self, from: json)
        #expect(throws: tampering.expected) {
            try site.relyingParty.verifyAssertion(response, by: record, expecting: site.assertionExpectation)
        }
    }

    @Test func `an identified user's response may leave the user handle out, and may not name another`() throws {
        var site = Site()
        site.assertionExpectation.userIsIdentified = true
        let authenticator = SoftAuthenticator()
        let record = try site.register(authenticator).credential
        site.assertionExpectation.allowedCredentials = [record.id]
        let silent = Alterations { $0.assertion = { $0.response.userHandle = nil } }
        _ = try site.signIn(authenticator, by: record, altering: silent)
        let wrong = Alterations { $0.assertion = { $0.response.userHandle = "AAAA" } }
        #expect(throws: WebAuthnError.userHandleMismatch) {
            try site.signIn(authenticator, by: record, altering: wrong)
        }
    }

    @Test func `a key that is stored broken is a refusal of its own`() throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        let good = try site.register(authenticator).credential
        let broken = CredentialRecord(
            id: good.id,
            publicKey: Base64URL(bytes: [0xA0]),
            algorithm: .es256,
            signCount: 0,
            uvInitialized: true,
            transports: [],
            backupEligible: false,
            backupState: false,
            aaguid: good.aaguid,
            attestationFormat: .none
        )
        #expect(throws: WebAuthnError.keyInvalid(.parameters)) { try site.signIn(authenticator, by: broken) }
    }
}
