import Crypto
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// A change to a sound attestation certificate, and the refusal it must earn.
struct CertificateTampering: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: AttestationFault
    let change: @Sendable (inout CertificateDraft) -> Void

    init(
        _ what: String,
        _ expected: AttestationFault,
        _ change: @escaping @Sendable (inout CertificateDraft) -> Void
    ) {
        testDescription = what
        self.expected = expected
        self.change = change
    }
}

struct AttestationRefusalTests {
    private static let other = [UInt8](repeating: 9, count: 16)

    static let certificates = [
        CertificateTampering("of version 1", .requirement(.version)) {
            $0.version = 0
            $0.extensions = []
        },
        CertificateTampering("of version 2", .requirement(.version)) { $0.version = 1 },
        CertificateTampering("of an authority", .requirement(.notAuthority)) {
            $0.extensions = [.basicConstraints(isAuthority: true)]
        },
        CertificateTampering("without basic constraints", .requirement(.notAuthority)) { $0.extensions = [] },
        CertificateTampering("without a country", .requirement(.subject)) { $0.subject.removeFirst() },
        CertificateTampering("with a country of three letters", .requirement(.subject)) {
            $0.subject[0].value = "SWE"
        },
        CertificateTampering("without an organisation", .requirement(.subject)) { $0.subject.remove(at: 1) },
        CertificateTampering("of another unit", .requirement(.subject)) {
            $0.subject[2].value = "Authenticator attestation"
        },
        CertificateTampering("without a common name", .requirement(.subject)) { $0.subject.removeLast() },
        CertificateTampering("for another AAGUID", .aaguidMismatch) { $0.extensions.append(.aaguid(other)) },
        CertificateTampering("with a critical AAGUID", .requirement(.aaguidExtension)) {
            $0.extensions.append(.aaguid(AttestationSite.aaguid, isCritical: true))
        },
        CertificateTampering("with an AAGUID of 15 bytes", .requirement(.aaguidExtension)) {
            $0.extensions.append(.aaguid(Array(AttestationSite.aaguid.dropLast())))
        },
        CertificateTampering("with an AAGUID wrapped once", .requirement(.aaguidExtension)) {
            $0.extensions.append(.extension("1.3.6.1.4.1.45724.1.1.4", .raw(AttestationSite.aaguid)))
        },
        CertificateTampering(
            "with an extension twice",
            .certificates(.certificate(.malformed(WireFault(.duplicateKey, at: 28))))
        ) { $0.extensions += $0.extensions },
    ]

    @Test(arguments: certificates)
    func `an attestation certificate is refused`(tampering: CertificateTampering) throws {
        let maker = AttestationSite()
        try maker.register([maker.leaf { $0.extensions.append(.aaguid(AttestationSite.aaguid)) }])
        #expect(throws: WebAuthnError.attestationUnsound(tampering.expected)) {
            try maker.register([maker.leaf(tampering.change)])
        }
    }

    /// Members of a sound packed statement, changed or (with `nil`) left out.
    static let members: [(String, CBORItem?, AttestationFault)] = [
        ("alg", nil, .member(.alg)), ("alg", .text("ES256"), .member(.alg)), ("alg", .int(-257), .algorithm),
        ("alg", .int(-35), .algorithm), ("alg", .int(0), .algorithm), ("alg", .int(-65_535), .algorithm),
        ("sig", nil, .member(.sig)), ("sig", .bytes([]), .signature), ("sig", .text(""), .member(.sig)),
        ("x5c", .null, .member(.x5c)), ("x5c", .array([.null]), .member(.x5c)),
        ("x5c", .bytes([]), .member(.x5c)), ("x5c", .array([.bytes([])]), .certificates(.certificate(.size(0)))),
        ("ecdaaKeyId", .bytes([1]), .member(.ecdaaKeyId)),
    ]

    @Test(arguments: members)
    func `a packed statement is refused`(member: String, value: CBORItem?, fault: AttestationFault) throws {
        let maker = AttestationSite()
        let (leaf, attester) = (maker.leaf(), maker.attester)
        #expect(throws: WebAuthnError.attestationUnsound(fault)) {
            try maker.register { draft in
                var (format, statement) = draft.packed(by: attester, [leaf])
                statement.set(.text(member), to: value)
                return (format, statement)
            }
        }
    }

    @Test func `self attestation with another algorithm or key is refused`() throws {
        var maker = AttestationSite()
        maker.site.attestation = .wanted(AttestationTrust(maker.anchors))
        #expect(try maker.register { $0.packedSelf() }.attestation.type == .selfAttestation)
        let (other, attester) = (SigningKey(.es384), maker.attester)
        #expect(throws: WebAuthnError.attestationUnsound(.algorithm)) {
            try maker.register { draft in
                let signature = other.sign(draft.signedBytes)
                return ("packed", .map([(.text("alg"), .int(-35)), (.text("sig"), .bytes(signature))]))
            }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.signature)) {
            try maker.register { draft in
                let signature = attester.sign(draft.signedBytes)
                return ("packed", .map([(.text("alg"), .int(-7)), (.text("sig"), .bytes(signature))]))
            }
        }
    }

    @Test func `a U2F statement has one certificate, of a P-256 key`() throws {
        let maker = AttestationSite()
        let (leaf, root, attester) = (maker.leaf(), maker.root.root, maker.attester)
        #expect(try maker.register { $0.u2f(by: attester, [leaf]) }.attestation.format == .fidoU2F)
        #expect(throws: WebAuthnError.attestationUnsound(.requirement(.count))) {
            try maker.register { $0.u2f(by: attester, [leaf, root]) }
        }
        let larger = AttestationSite(attester: SigningKey(.es384))
        let certificate = larger.leaf()
        #expect(throws: WebAuthnError.attestationUnsound(.requirement(.curve))) {
            try larger.register { $0.u2f(by: larger.attester, [certificate]) }
        }
    }

    @Test func `SafetyNet is refused by name`() {
        var maker = AttestationSite()
        maker.site.attestation = .wanted(AttestationTrust(maker.anchors))
        #expect(throws: WebAuthnError.attestationFormatRetired) {
            try maker.register { _ in ("android-safetynet", .map([(.text("ver"), .text("1"))])) }
        }
    }
}

/// Models that are taken, and that aren't.
struct AttestedModelTests {
    private func maker(
        allowed: Set<Base64URL>? = nil,
        denied: Set<Base64URL> = []
    ) -> AttestationSite {
        var maker = AttestationSite()
        maker.site.attestation = .required(
            AttestationRequirements(AttestationTrust(maker.anchors), allowedAAGUIDs: allowed, deniedAAGUIDs: denied)
        )
        return maker
    }

    private let own = Base64URL(bytes: AttestationSite.aaguid)
    private let other = Base64URL(bytes: [UInt8](repeating: 9, count: 16))

    @Test func `a model that is listed is taken, and another one isn't`() throws {
        let fine = maker(allowed: [own], denied: [other])
        try fine.register([fine.leaf()])
        let strict = maker(allowed: [other])
        #expect(throws: WebAuthnError.attestationUntrusted(.modelNotAllowed)) { try strict.register([strict.leaf()]) }
        let closed = maker(denied: [own])
        #expect(throws: WebAuthnError.attestationUntrusted(.modelDenied)) { try closed.register([closed.leaf()]) }
    }

    @Test func `an AAGUID that nobody vouches for is no model`() throws {
        let maker = maker(allowed: [own])
        #expect(throws: WebAuthnError.attestationUntrusted(.noCertificates)) {
            try maker.register { _ in ("none", .map([])) }
        }
        #expect(throws: WebAuthnError.attestationUntrusted(.noCertificates)) { try maker.register { $0.packedSelf() } }
    }

    @Test func `a U2F authenticator is of no model, whatever it says and whatever comes with it`() throws {
        let maker = maker(allowed: [own])
        let (leaf, attester) = (maker.leaf(), maker.attester)
        #expect(throws: WebAuthnError.attestationUntrusted(.modelNotAllowed)) {
            try maker.register { $0.u2f(by: attester, [leaf]) }
        }
        #expect(throws: WebAuthnError.attestationUntrusted(.modelNotAllowed)) {
            try maker.register { $0.compound($0.u2f(by: attester, [leaf]), $0.packedSelf()) }
        }
        try maker.register { $0.compound($0.u2f(by: attester, [leaf]), $0.packed(by: attester, [leaf])) }
    }
}

struct CompoundAttestationTests {
    let maker = AttestationSite()

    @Test func `all parts are verified`() throws {
        let (leaf, attester, stranger) = (maker.leaf(), maker.attester, SigningKey(.es256))
        let registered = try maker.register { $0.compound($0.packedSelf(), $0.packed(by: attester, [leaf])) }
        #expect(registered.attestation.format == .compound && registered.attestation.type == .basic)
        #expect(throws: WebAuthnError.attestationUnsound(.signature)) {
            try maker.register { $0.compound($0.packed(by: attester, [leaf]), $0.packed(by: stranger, [leaf])) }
        }
        let untrusted = maker.leaf(by: CertificateIssuer("Stranger"))
        #expect(throws: WebAuthnError.attestationUntrusted(.chain(.untrusted))) {
            try maker.register { $0.compound($0.packed(by: attester, [leaf]), $0.packed(by: attester, [untrusted])) }
        }
    }

    @Test func `one part, five parts and compound parts are refused`() throws {
        let (leaf, attester) = (maker.leaf(), maker.attester)
        #expect(throws: WebAuthnError.attestationUnsound(.compound)) {
            try maker.register { $0.compound($0.packed(by: attester, [leaf])) }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.compound)) {
            try maker.register { draft in
                let part = draft.packed(by: attester, [leaf])
                return draft.compound(part, part, part, part, part)
            }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.compound)) {
            try maker.register { $0.compound($0.packed(by: attester, [leaf]), ("compound", .array([]))) }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.compound)) {
            try maker.register { _ in ("compound", .map([])) }
        }
    }
}
