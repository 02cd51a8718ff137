import Crypto
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// Whether certificates lead anywhere.
struct AttestationChainTests {
    let maker = AttestationSite()

    @Test func `a certificate by the root is trusted, alone and with the root beside it`() throws {
        for chain in [[maker.leaf()], [maker.leaf(), maker.root.root]] {
            let registered = try maker.register(chain)
            #expect(registered.attestation.isTrusted)
            #expect(registered.attestation.type == .basic && registered.credential.isAttested)
        }
    }

    @Test func `a path through another authority is found in any order`() throws {
        let middle = CertificateIssuer("Middle")
        let certificate = middle.certificate(by: maker.root)
        try maker.register([maker.leaf(by: middle), certificate])
        try maker.register([maker.leaf(by: middle), maker.root.root, certificate])
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register([maker.leaf(by: middle)])
        }
    }

    @Test func `a certificate that is an anchor itself is trusted`() throws {
        var maker = maker
        let leaf = maker.leaf()
        maker.site.attestation = .required(
            AttestationRequirements(AttestationTrust(TrustAnchors([try Certificate(der: leaf)])))
        )
        try maker.register([leaf])
    }

    @Test func `a root that comes along is not trusted`() throws {
        let attacker = CertificateIssuer("Maker Root")
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register([maker.leaf(by: attacker), attacker.root])
        }
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register([maker.leaf(by: attacker)])
        }
        #expect(throws: WebAuthnError.attestationUnsound(.requirement(.notAuthority))) {
            try maker.register { $0.packed(by: attacker.key, [attacker.root]) }
        }
    }

    @Test func `an end entity can't issue certificates`() throws {
        let fraud = CertificateIssuer("Model")
        let leaf = CertificateDraft(of: fraud.key) { $0.subject = fraud.name }.issued(by: maker.root)
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register([maker.leaf(by: fraud), leaf])
        }
    }

    @Test func `certificates before and after their time are refused`() throws {
        let past = maker.leaf { $0.notAfter = "20260101000000Z" }
        let future = maker.leaf { $0.notBefore = "20500101000000Z" }
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.expired))) { try maker.register([past]) }
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.notYetValid))) { try maker.register([future]) }
        var earlier = maker
        earlier.site.time = 1_735_689_600
        try earlier.register([past])
    }

    @Test func `a certificate whose signature is broken is refused`() throws {
        var leaf = maker.leaf()
        leaf[leaf.count - 1] ^= 1
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) { try maker.register([leaf]) }
    }

    @Test(arguments: [.es384, .es512, .edDSA, .rs256] as [SigningKey.Algorithm])
    func `the attestation key may be of another algorithm than the credential's`(
        algorithm: SigningKey.Algorithm
    ) throws {
        let maker = AttestationSite(attester: SigningKey(algorithm))
        let registered = try maker.register([maker.leaf()])
        #expect(registered.credential.algorithm == .es256 && registered.attestation.isTrusted)
    }

    @Test func `wanted certificates have to lead to an anchor where there are any`() throws {
        var maker = maker
        let stranger = CertificateIssuer("Stranger")
        maker.site.attestation = .wanted(AttestationTrust())
        #expect(try !maker.register([maker.leaf(by: stranger)]).attestation.isTrusted)
        #expect(try !maker.register { $0.packedSelf() }.attestation.isTrusted)
        maker.site.attestation = .wanted(AttestationTrust(maker.anchors))
        #expect(try maker.register([maker.leaf()]).attestation.isTrusted)
        #expect(try !maker.register { $0.packedSelf() }.attestation.isTrusted)
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register([maker.leaf(by: stranger)])
        }
    }
}

/// What is refused by its size, before any work.
struct AttestationLimitTests {
    let maker = AttestationSite()

    @Test func `a chain of a hundred certificates is refused`() throws {
        let leaf = maker.leaf()
        try maker.register([leaf] + [[UInt8]](repeating: maker.root.root, count: 7))
        for count in [9, 100] {
            #expect(throws: WebAuthnError.attestationUnsound(.certificates(.count(count)))) {
                try maker.register([[UInt8]](repeating: leaf, count: count))
            }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.certificates(.count(0)))) { try maker.register([]) }
    }

    @Test func `a certificate of a megabyte is refused`() {
        let padding = DERItem.extension("1.2.3.4", .octets([UInt8](repeating: 0, count: 1 << 20)))
        let leaf = maker.leaf { $0.extensions.append(padding) }
        #expect(throws: WebAuthnError.attestationUnsound(.certificates(.certificate(.size(leaf.count))))) {
            try maker.register([leaf])
        }
    }

    @Test(arguments: [(1 << 20, false), (1 << 18, true), (8200, true)])
    func `a certificate of a huge RSA key is refused`(bits: Int, fits: Bool) {
        let modulus = [0x00] + [UInt8](repeating: 0xFF, count: bits / 8)
        let key = DERItem.sequence(.element(tag: 0x02, modulus), .integer(1, 0, 1))
        let rsa = OID(stringLiteral: "1.2.840.113549.1.1.1").encoded
        let info = DERItem.sequence(.sequence(.name(rsa), .element(tag: 0x05, [])), .bits(key.encoded))
        let leaf = maker.leaf { $0.subjectPublicKeyInfo = info.encoded }
        let fault = fits ? CertificateFault.unsupportedKey : .size(leaf.count)
        #expect(throws: WebAuthnError.attestationUnsound(.certificates(.certificate(fault)))) {
            try maker.register([leaf])
        }
    }
}
