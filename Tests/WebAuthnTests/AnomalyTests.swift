import GatehouseTesting
import Testing
import WebAuthn

/// Counters that don't rise and eligibility for backup that changes, where they are flagged instead of refused.
struct AnomalyTests {
    let authenticator = SoftAuthenticator()

    private static func site(
        counter: AnomalyPolicy = .refuse,
        eligibility: AnomalyPolicy = .refuse
    ) -> Site {
        var site = Site()
        site.assertionExpectation.counterRegression = counter
        site.assertionExpectation.backupEligibilityChange = eligibility
        return site
    }

    private static func counting(_ count: UInt32) -> Alterations { Alterations { $0.signCount = { $0 = count } } }
    private static func flags(_ flags: UInt8) -> Alterations { Alterations { $0.flags = { $0 = flags } } }

    @Test(arguments: [(10, 10), (10, 9), (10, 0)] as [(UInt32, UInt32)])
    func `a counter that did not rise is flagged, and the stored one stays`(stored: UInt32, new: UInt32) throws {
        let site = Self.site(counter: .flag)
        let record = try site.register(authenticator, altering: Self.counting(stored)).credential
        let verified = try site.signIn(authenticator, by: record, altering: Self.counting(new))
        #expect(verified.anomalies == [.counterRegressed])
        #expect(verified.credential.anomalies == [.counterRegressed] && verified.credential.signCount == stored)
    }

    @Test func `a counter that rose is nothing to flag, and the flag stays`() throws {
        let site = Self.site(counter: .flag)
        var record = try site.register(authenticator, altering: Self.counting(10)).credential
        let good = try site.signIn(authenticator, by: record, altering: Self.counting(11))
        #expect(good.anomalies.isEmpty && good.credential.anomalies.isEmpty && good.credential.signCount == 11)
        for count: UInt32 in [5, 6] {
            record = try site.signIn(authenticator, by: record, altering: Self.counting(count)).credential
        }
        let later = try site.signIn(authenticator, by: record, altering: Self.counting(11))
        #expect(later.anomalies.isEmpty && later.credential.signCount == 11)
        #expect(later.credential.anomalies == [.counterRegressed] && !later.credential.isDeviceBound)
    }

    @Test func `a credential that became eligible for backup is not bound to its device`() throws {
        let site = Self.site(eligibility: .flag)
        let record = try site.register(authenticator).credential
        #expect(record.isDeviceBound)
        let verified = try site.signIn(authenticator, by: record, altering: Self.flags(0x1D))
        #expect(verified.anomalies == [.backupEligibilityChanged])
        #expect(verified.credential.backupEligible == true && verified.credential.backupState == true)
        #expect(!verified.credential.isDeviceBound)
        let back = try site.signIn(authenticator, by: verified.credential, altering: Self.flags(0x05))
        #expect(!back.credential.isDeviceBound)
    }

    @Test func `a credential that was eligible for backup never becomes bound to a device`() throws {
        var site = Self.site(eligibility: .flag)
        site.settings.backupEligible = true
        let authenticator = SoftAuthenticator(site.settings)
        var record = try site.register(authenticator).credential
        for _ in 0..<2 {
            let verified = try site.signIn(authenticator, by: record, altering: Self.flags(0x05))
            #expect(verified.anomalies == [.backupEligibilityChanged])
            record = verified.credential
            #expect(record.backupEligible == true && record.backupState == false && !record.isDeviceBound)
        }
        #expect(record.anomalies == [.backupEligibilityChanged])
        #expect(try site.signIn(authenticator, by: record).anomalies.isEmpty)
    }

    @Test func `backed up without being eligible is refused, whatever is flagged`() throws {
        let site = Self.site(counter: .flag, eligibility: .flag)
        let record = try site.register(authenticator).credential
        #expect(throws: WebAuthnError.backupStateInvalid) {
            try site.signIn(authenticator, by: record, altering: Self.flags(0x15))
        }
        _ = try site.signIn(authenticator, by: record)
    }

    @Test func `each anomaly has its own policy`() throws {
        let both = Alterations {
            $0.signCount = { $0 = 0 }
            $0.flags = { $0 |= 0x08 }
        }
        let record = try Self.site().register(authenticator).credential
        for (site, expected) in [
            (Self.site(counter: .flag), WebAuthnError.backupEligibilityChanged),
            (Self.site(eligibility: .flag), WebAuthnError.counterRegressed),
        ] {
            #expect(throws: expected) { try site.signIn(authenticator, by: record, altering: both) }
        }
        let flagged = try Self.site(counter: .flag, eligibility: .flag)
            .signIn(authenticator, by: record, altering: both)
        #expect(flagged.anomalies == [.backupEligibilityChanged, .counterRegressed])
    }

    @Test func `what nobody signed is no anomaly`() throws {
        let unsigned = Alterations {
            $0.flags = { $0 |= 0x08 }
            $0.signature = { $0 = [] }
        }
        for policy in AnomalyPolicy.allCases {
            let site = Self.site(eligibility: policy)
            let record = try site.register(authenticator).credential
            #expect(throws: WebAuthnError.signatureInvalid) {
                try site.signIn(authenticator, by: record, altering: unsigned)
            }
        }
        #expect(WebAuthnError.signatureInvalid.anomaly == nil && WebAuthnError.backupStateInvalid.anomaly == nil)
        #expect(WebAuthnError.counterRegressed.anomaly == .counterRegressed)
        #expect(WebAuthnError.backupEligibilityChanged.anomaly == .backupEligibilityChanged)
    }
}
