import GatehouseKit
import GatehouseTesting
import Testing
import TrustedDeviceProvider

struct AndroidKeyChainTests {
    let attested: AttestedSite

    init() throws { attested = try AttestedSite() }

    @Test func `certificates that lead nowhere are refused`() throws {
        let stranger = CertificateIssuer("Android Root")
        let refusal = try AttestedSite.refusal {
            try attested.enrolAndroid(certificates: { $0.certificates(by: stranger) + [stranger.root] })
        }
        #expect(refusal == "attestation_untrusted: the attestation certificates lead to no trusted root")
        let none = try AttestedSite.refusal { try attested.enrolAndroid(certificates: { _ in [] }) }
        #expect(none == "attestation_invalid: the certificates of the attestation can't be read")
    }

    @Test func `certificates have to be valid at the time`() throws {
        let over = try AttestedSite.refusal {
            try attested.enrolAndroid(certificates: {
                $0.certificates(by: attested.android) { $0.notAfter = "20260101000000Z" }
            })
        }
        #expect(over == "attestation_untrusted: an attestation certificate has expired")
        let early = try AttestedSite.refusal {
            try attested.enrolAndroid(certificates: {
                $0.certificates(by: attested.android) { $0.notBefore = "20280101000000Z" }
            })
        }
        #expect(early == "attestation_untrusted: an attestation certificate is not valid yet")
    }

    /// Whoever has one attested key could otherwise describe another at will.
    @Test func `an attested key vouches for no other`() throws {
        func enrol(describing: Bool) throws -> NewCredential {
            try attested.enrolAndroid(certificates: { statement in
                let middle = CertificateIssuer("Attested Key")
                var own = statement
                own.key = middle.key
                let certificate = own.certificates(by: attested.android) {
                    $0.subject = middle.name
                    $0.extensions = [.basicConstraints(isAuthority: true)] + (describing ? [own.extension] : [])
                }
                return statement.certificates(by: middle) + certificate
            })
        }
        let refusal = try AttestedSite.refusal { try enrol(describing: true) }
        #expect(refusal == "attestation_untrusted: an attested key signed the attestation of another")
        _ = try enrol(describing: false)
    }
}
