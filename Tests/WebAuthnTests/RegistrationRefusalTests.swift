import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// One change to a good ceremony, and the refusal it must earn.
struct Tampering: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: WebAuthnError
    let change: @Sendable (inout Site, inout Alterations) -> Void

    init(
        _ what: String,
        _ expected: WebAuthnError,
        _ change: @escaping @Sendable (inout Site, inout Alterations) -> Void
    ) {
        testDescription = what
        self.expected = expected
        self.change = change
    }
}

struct RegistrationRefusalTests {
    static let clientData = [
        Tampering("of the other ceremony", .wrongType) { $1.setClientData("type", to: #""webauthn.get""#) },
        Tampering("of another letter case", .wrongType) { $1.setClientData("type", to: #""WebAuthn.create""#) },
        Tampering("without a type", .invalidClientData(member: .type)) { $1.setClientData("type", to: nil) },
        Tampering("with a null type", .invalidClientData(member: .type)) { $1.setClientData("type", to: "null") },
        Tampering("of another challenge", .challengeMismatch) { $1.setClientData("challenge", to: #""AAAA""#) },
        Tampering("of an empty challenge", .challengeMismatch) { $1.setClientData("challenge", to: #""""#) },
        Tampering("with a padded challenge", .challengeMismatch) { site, alterations in
            let text = Base64URL(bytes: site.registrationExpectation.challenge).text
            alterations.setClientData("challenge", to: "\"\(text)=\"")
        },
        Tampering("without a challenge", .invalidClientData(member: .challenge)) {
            $1.setClientData("challenge", to: nil)
        },
        Tampering("from another origin", .originMismatch) { site, _ in site.origin = "https://evil.test" },
        Tampering("from an origin with a slash", .originMismatch) { site, _ in site.origin += "/" },
        Tampering("from an origin with its default port", .originMismatch) { site, _ in site.origin += ":443" },
        Tampering("from an origin in an array", .invalidClientData(member: .origin)) {
            $1.setClientData("origin", to: "[\"\(Site.origin)\"]")
        },
        Tampering("from a frame", .crossOriginRefused) { $1.setClientData("crossOrigin", to: "true") },
        Tampering("with crossOrigin as text", .invalidClientData(member: .crossOrigin)) {
            $1.setClientData("crossOrigin", to: #""true""#)
        },
        Tampering("with a page on top", .topOriginRefused) {
            $1.setClientData("topOrigin", to: #""https://evil.test""#)
        },
        Tampering("with an array of pages on top", .invalidClientData(member: .topOrigin)) {
            $1.setClientData("topOrigin", to: #"["https://evil.test"]"#)
        },
    ]

    static let authenticatorData = [
        Tampering("for another relying party", .rpIDMismatch) { $1.authenticatorData = { $0[0] ^= 0x80 } },
        Tampering("without user presence", .userPresenceMissing) { $1.flags = { $0 &= ~0x01 } },
        Tampering("without user verification", .userVerificationMissing) { $1.flags = { $0 = 0x41 } },
        Tampering("backed up, yet not eligible", .backupStateInvalid) { $1.flags = { $0 |= 0x10 } },
        Tampering("without attested credential data", .attestedCredentialMissing) {
            $1.flags = { $0 &= ~0x40 }
            $1.authenticatorData = { $0.removeLast($0.count - 37) }
        },
        Tampering("with an algorithm not offered", .algorithmNotOffered) {
            $1.coseKey = { $0.set(.int(3), to: .int(-35)) }
        },
        Tampering("with a private-use algorithm", .algorithmNotOffered) {
            $1.coseKey = { $0.set(.int(3), to: .int(-70_000)) }
        },
        Tampering("with an empty credential ID in its data", .credentialIDInvalid) {
            $1.authenticatorData = { data in data.replaceSubrange(53..<(55 + 32), with: [0, 0]) }
        },
        Tampering("with a credential ID of 1024 bytes in its data", .credentialIDInvalid) {
            $1.authenticatorData = { data in
                data.replaceSubrange(53..<(55 + 32), with: [4, 0] + [UInt8](repeating: 7, count: 1024))
            }
        },
        Tampering("of another credential than it names", .credentialIDMismatch) {
            $1.registration = {
                $0.id = "AAAA"; $0.rawId = "AAAA"
            }
        },
    ]

    static let attestation = [
        Tampering("of a format nobody registered", .attestationFormatUnknown) {
            $1.attestationObject = { $0.set(.text("fmt"), to: .text("None")) }
        },
        Tampering("of a format with NUL", .attestationFormatUnknown) {
            $1.attestationObject = { $0.set(.text("fmt"), to: .text("none\0")) }
        },
        Tampering("of format none with a statement", .attestationInvalid) {
            $1.attestationObject = { $0.set(.text("attStmt"), to: .map([(.text("alg"), .int(-7))])) }
        },
        Tampering("of format none with null for a statement", .attestationInvalid) {
            $1.attestationObject = { $0.set(.text("attStmt"), to: .null) }
        },
        Tampering("of format packed with text for a statement", .attestationInvalid) {
            $1.attestationObject = {
                $0.set(.text("fmt"), to: .text("packed"))
                $0.set(.text("attStmt"), to: .text(""))
            }
        },
        Tampering("without a format", .malformedAttestationObject(WireFault(.notCanonical, at: 0))) {
            $1.attestationObject = { $0.set(.text("fmt"), to: nil) }
        },
        Tampering("with two formats", .malformedAttestationObject(WireFault(.duplicateKey, at: 0))) {
            $1.attestationObject = { object in
                guard case .map(let entries) = object else { return }
                object = .map([entries[0], (.text("fmt"), .text("packed"))] + entries[1...])
            }
        },
        Tampering("with two sets of authenticator data", .malformedAttestationObject(WireFault(.duplicateKey, at: 0))) {
            $1.attestationObject = { object in
                guard case .map(let entries) = object else { return }
                object = .map(entries + [entries[2]])
            }
        },
    ]

    @Test(arguments: clientData + authenticatorData + attestation)
    func `a registration is refused`(tampering: Tampering) throws {
        var site = Site()
        var alterations = Alterations()
        _ = try site.register(altering: alterations)
        tampering.change(&site, &alterations)
        #expect(throws: tampering.expected) { try site.register(altering: alterations) }
    }

    @Test func `user presence is waived for a conditional creation and for nothing else`() throws {
        var site = Site()
        let absent = Alterations { $0.flags = { $0 &= ~0x01 } }
        #expect(throws: WebAuthnError.userPresenceMissing) { try site.register(altering: absent) }
        site.registrationExpectation.waivesUserPresence = true
        #expect(try !site.register(altering: absent).userPresent)
        let other = Alterations { $0.flags = { $0 = 0x40 } }
        #expect(throws: WebAuthnError.userVerificationMissing) { try site.register(altering: other) }
    }

    @Test func `user verification is checked only where it is required`() throws {
        var site = Site()
        site.settings.verifiesUser = false
        #expect(throws: WebAuthnError.userVerificationMissing) { try site.register() }
        site.registrationExpectation.requiresUserVerification = false
        let registered = try site.register()
        #expect(!registered.userVerified && !registered.credential.uvInitialized)
    }

    @Test func `an empty challenge matches nothing`() throws {
        var site = Site()
        site.registrationExpectation.challenge = []
        #expect(throws: WebAuthnError.challengeMismatch) { try site.register() }
    }
}
