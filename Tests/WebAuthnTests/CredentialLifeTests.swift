import Foundation
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// A credential from its registration through the sign-ins after it.
struct CredentialLifeTests {
    @Test(arguments: COSEAlgorithm.defaults)
    func `every algorithm offered by default registers and signs in`(algorithm: COSEAlgorithm) throws {
        var site = Site()
        site.registrationExpectation.algorithms = [algorithm]
        let authenticator = SoftAuthenticator()
        let registered = try site.register(authenticator)
        #expect(registered.credential.algorithm == algorithm)
        let first = try site.signIn(authenticator, by: registered.credential)
        let second = try site.signIn(authenticator, by: first.credential)
        #expect(second.credential.signCount == 3 && second.userVerified)
    }

    @Test func `the record holds what was registered`() throws {
        var site = Site()
        site.settings.aaguid = Array(1...16)
        site.settings.backupEligible = true
        let authenticator = SoftAuthenticator(site.settings)
        let registered = try site.register(authenticator)
        let record = registered.credential
        #expect(record.id.bytes == authenticator.credentials[0].id)
        #expect(record.publicKey.bytes == authenticator.credentials[0].key.coseKey.encoded)
        #expect(record.signCount == 1 && record.uvInitialized)
        #expect(record.transports == ["internal", "hybrid"])
        #expect(record.backupEligible == true && record.backupState == false)
        #expect(record.aaguid.bytes == Array(1...16) && record.attestationFormat == .none)
        #expect(registered.attestation == .none && registered.userPresent && registered.userVerified)
    }

    @Test(arguments: [1, 16, 255, 256, 1023])
    func `a credential ID of any length up to 1023 bytes works`(length: Int) throws {
        var site = Site()
        site.settings.credentialIDLength = length
        let authenticator = SoftAuthenticator(site.settings)
        let record = try site.register(authenticator).credential
        #expect(record.id.bytes.count == length)
        _ = try site.signIn(authenticator, by: record)
    }

    @Test(arguments: [0, 1024, 2000, 65_535])
    func `a credential ID of another length is refused`(length: Int) throws {
        var site = Site()
        site.settings.credentialIDLength = length
        #expect(throws: DecodingError.self) { try site.register() }
    }

    @Test func `an attestation of another format is carried along unverified`() throws {
        let site = Site()
        let packed = Alterations {
            $0.attestationObject = {
                $0.set(.text("fmt"), to: .text("packed"))
                $0.set(.text("attStmt"), to: .map([(.text("x5c"), .array([.bytes([1])]))]))
            }
        }
        let registered = try site.register(altering: packed)
        #expect(registered.attestation == .unverified(.packed))
        #expect(registered.credential.attestationFormat == .packed)
    }

    // MARK: Counters

    @Test func `a counter that is always zero is no sign of a copy`() throws {
        var site = Site()
        site.settings.counts = false
        let authenticator = SoftAuthenticator(site.settings)
        var record = try site.register(authenticator).credential
        for _ in 0..<5 { record = try site.signIn(authenticator, by: record).credential }
        #expect(record.signCount == 0)
    }

    @Test(
        arguments: [
            (0, 5, true), (10, 11, true), (10, 10, false), (10, 9, false), (10, 0, false),
            (UInt32.max - 1, UInt32.max, true), (UInt32.max, UInt32.max, false), (UInt32.max, 0, false),
        ] as [(UInt32, UInt32, Bool)]
    )
    func `a counter must rise`(stored: UInt32, new: UInt32, accepted: Bool) throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        let record = try site.register(authenticator, altering: Alterations { $0.signCount = { $0 = stored } })
            .credential
        #expect(record.signCount == stored)
        let alterations = Alterations { $0.signCount = { $0 = new } }
        if accepted {
            #expect(try site.signIn(authenticator, by: record, altering: alterations).credential.signCount == new)
        } else {
            #expect(throws: WebAuthnError.counterRegressed) {
                try site.signIn(authenticator, by: record, altering: alterations)
            }
        }
    }

    @Test func `a bad signature is said before a bad counter`() throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        let record = try site.register(authenticator).credential
        let both = Alterations {
            $0.signCount = { $0 = 0 }
            $0.signature = { $0 = [] }
        }
        #expect(throws: WebAuthnError.signatureInvalid) {
            try site.signIn(authenticator, by: record, altering: both)
        }
    }

    // MARK: Backup flags

    @Test func `backup state may come and go`() throws {
        var site = Site()
        site.settings.backupEligible = true
        let authenticator = SoftAuthenticator(site.settings)
        var record = try site.register(authenticator).credential
        for flags: UInt8 in [0x1D, 0x0D, 0x1D] {
            let alterations = Alterations { $0.flags = { $0 = flags } }
            record = try site.signIn(authenticator, by: record, altering: alterations).credential
            #expect(record.backupState == (flags & 0x10 != 0))
        }
    }

    @Test func `eligibility may not be lost`() throws {
        var site = Site()
        site.settings.backupEligible = true
        let authenticator = SoftAuthenticator(site.settings)
        let record = try site.register(authenticator).credential
        #expect(throws: WebAuthnError.backupEligibilityChanged) {
            try site.signIn(authenticator, by: record, altering: Alterations { $0.flags = { $0 = 0x05 } })
        }
    }

    @Test func `a record without flags adopts them at the first sign-in and compares at the second`() throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        var old = try site.register(authenticator).credential
        old.backupEligible = nil
        old.backupState = nil
        let synced = Alterations { $0.flags = { $0 = 0x1D } }
        let adopted = try site.signIn(authenticator, by: old, altering: synced).credential
        #expect(adopted.backupEligible == true && adopted.backupState == true)
        _ = try site.signIn(authenticator, by: adopted, altering: synced)
        #expect(throws: WebAuthnError.backupEligibilityChanged) {
            try site.signIn(authenticator, by: adopted)
        }
    }

    @Test(
        arguments: [(true, .discoverable), (false, .notDiscoverable), (nil, .unknown)] as [(Bool?, Discoverability)]
    )
    func `what the client said of discoverability is kept`(said: Bool?, expected: Discoverability) throws {
        let alterations = Alterations {
            $0.registration = { answer in
                if let said {
                    answer.clientExtensionResults.credProps?.rk = said
                } else {
                    answer.clientExtensionResults.credProps = nil
                }
            }
        }
        let registered = try Site().register(altering: alterations)
        #expect(registered.credential.discoverability == expected && registered.discoverability == expected)
    }

    // MARK: The stored form

    @Test func `a record survives being stored`() throws {
        var record = try Site().register().credential
        record.flag(.counterRegressed)
        let stored = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(CredentialRecord.self, from: stored) == record)
        let names = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any]).keys.sorted()
        #expect(
            names == [
                "aaguid", "algorithm", "anomalies", "attestationFormat", "backupEligible", "backupState",
                "discoverability", "id", "isAttested", "publicKey", "signCount", "transports", "uvInitialized",
            ]
        )
    }

    @Test func `a record of the barest kind is read`() throws {
        let json = #"{"id":"AQ","publicKey":"oA","algorithm":-7,"signCount":4}"#
        let record = try JSONDecoder().decode(CredentialRecord.self, from: Data(json.utf8))
        #expect(record.backupEligible == nil && record.backupState == nil && record.transports.isEmpty)
        #expect(record.aaguid.bytes == [UInt8](repeating: 0, count: 16) && !record.uvInitialized)
        #expect(record.discoverability == .unknown && record.anomalies.isEmpty && !record.isDeviceBound)
    }
}
