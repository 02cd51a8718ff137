import Crypto
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// A change to a sound TPM statement, and the refusal it must earn.
struct TPMTampering: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: AttestationFault
    let change: @Sendable (inout TPMDraft) -> Void

    init(_ what: String, _ expected: AttestationFault, _ change: @escaping @Sendable (inout TPMDraft) -> Void) {
        testDescription = what
        self.expected = expected
        self.change = change
    }
}

struct TPMAttestationTests {
    private static let maker = AttestationSite()

    private func register(
        _ change: (inout TPMDraft) -> Void = { _ in },
        certificate: (inout CertificateDraft) -> Void = { _ in }
    ) throws -> VerifiedRegistration {
        var tpm = TPMDraft()
        change(&tpm)
        let leaf = Self.maker.leaf {
            $0.becomeTPM()
            certificate(&$0)
        }
        return try Self.maker.register { [tpm] in tpm.statement($0, by: Self.maker.attester, leaf) }
    }

    @Test func `a sound statement is one of an attestation authority`() throws {
        let attestation = try register().attestation
        #expect(attestation.format == .tpm && attestation.type == .attestationCA && attestation.isTrusted)
    }

    static let structures = [
        TPMTampering("of version 1.2", .member(.ver)) { $0.version = "1.2" },
        TPMTampering("with another magic", .tpm(.magic)) { $0.magic[3] = 0 },
        TPMTampering("of another type", .tpm(.type)) { $0.type[1] = 0x18 },
        TPMTampering("with other extra data", .nonceMismatch) { $0.extraData = { $0[0] ^= 1 } },
        TPMTampering("with no extra data", .nonceMismatch) { $0.extraData = { $0 = [] } },
        TPMTampering("with another name", .tpm(.name)) { $0.name = { $0[5] ^= 1 } },
        TPMTampering("with a name of another hash", .tpm(.name)) { $0.name = { $0[1] = 0x04 } },
        TPMTampering("with an unknown hash for its name", .tpm(.name)) { $0.nameAlgorithm = 0x12 },
        TPMTampering("with bytes after its information", .tpm(.attestation)) { $0.certifyInfo = { $0.append(0) } },
        TPMTampering("with information cut short", .tpm(.attestation)) { $0.certifyInfo = { $0.removeLast() } },
        TPMTampering("with no information", .tpm(.attestation)) { $0.certifyInfo = { $0 = [] } },
        TPMTampering("with a length beyond its information", .tpm(.attestation)) {
            $0.certifyInfo = { $0[6] = 0xFF }
        },
        TPMTampering("with bytes after its public area", .tpm(.publicArea)) { $0.publicArea = { $0.append(0) } },
        TPMTampering("with no public area", .tpm(.publicArea)) { $0.publicArea = { $0 = [] } },
        TPMTampering("of a symmetric key", .tpm(.publicArea)) { $0.publicArea = { $0[1] = 0x25 } },
        TPMTampering("on another curve", .tpm(.publicArea)) { $0.publicArea = { $0[15] = 0x10 } },
        TPMTampering("for another key", .keyMismatch) { $0.publicArea = { $0[20] ^= 1 } },
        TPMTampering("of another algorithm than its key", .algorithm) { $0.algorithm = .rs256 },
    ]

    @Test(arguments: structures)
    func `a statement is refused`(tampering: TPMTampering) {
        #expect(throws: WebAuthnError.attestationUnsound(tampering.expected)) { try register(tampering.change) }
    }

    static let certificates = [
        CertificateTampering("of version 2", .requirement(.version)) { $0.version = 1 },
        CertificateTampering("with a subject", .requirement(.subject)) { $0.subject = [(.commonName, "TPM")] },
        CertificateTampering("without an alternative name", .requirement(.alternativeName)) {
            $0.extensions.remove(at: 1)
        },
        CertificateTampering("with an alternative name that isn't critical", .requirement(.alternativeName)) {
            $0.extensions[1] = CertificateDraft.tpmName(isCritical: false)
        },
        CertificateTampering("of no manufacturer", .requirement(.alternativeName)) {
            $0.extensions[1] = CertificateDraft.tpmName(nil)
        },
        CertificateTampering("of a manufacturer without a number", .requirement(.alternativeName)) {
            $0.extensions[1] = CertificateDraft.tpmName("id:Maker")
        },
        CertificateTampering("without a usage", .requirement(.keyUsage)) { $0.extensions.remove(at: 2) },
        CertificateTampering("of another usage", .requirement(.keyUsage)) {
            let usage = OID(stringLiteral: "2.23.133.8.1").encoded
            $0.extensions[2] = .extension(.extendedKeyUsage, .sequence(.name(usage)))
        },
        CertificateTampering("of an authority", .requirement(.notAuthority)) {
            $0.extensions[0] = .basicConstraints(isAuthority: true)
        },
        CertificateTampering("without basic constraints", .requirement(.notAuthority)) {
            $0.extensions.remove(at: 0)
        },
        CertificateTampering("for another AAGUID", .aaguidMismatch) {
            $0.extensions.append(.aaguid([UInt8](repeating: 9, count: 16)))
        },
    ]

    @Test(arguments: certificates)
    func `a certificate is refused`(tampering: CertificateTampering) {
        #expect(throws: WebAuthnError.attestationUnsound(tampering.expected)) {
            try register(certificate: tampering.change)
        }
    }
}

struct AndroidKeyAttestationTests {
    private let maker = AttestationSite()

    private func register(
        for key: SigningKey? = nil,
        _ change: (inout AndroidKeyDraft) -> Void = { _ in }
    ) throws -> VerifiedRegistration {
        var android = AndroidKeyDraft()
        change(&android)
        return try maker.register { [android, root = maker.root] in android.statement($0, by: root, for: key) }
    }

    @Test func `a key that was made to sign, in either list, is taken`() throws {
        let attestation = try register().attestation
        #expect(attestation.format == .androidKey && attestation.type == .basic && attestation.isTrusted)
        _ = try register {
            $0.software = $0.hardware
            $0.hardware = []
        }
    }

    static let lists: [(String, @Sendable (inout AndroidKeyDraft) -> Void)] = [
        ("for all applications", { $0.software = [AndroidKeyDraft.allApplications] }),
        ("for all applications, in hardware", { $0.hardware.append(AndroidKeyDraft.allApplications) }),
        ("imported", { $0.hardware[1] = AndroidKeyDraft.origin(2) }),
        ("imported, says software", { $0.software = [AndroidKeyDraft.origin(2)] }),
        ("for encryption", { $0.hardware[0] = AndroidKeyDraft.purpose(0) }),
    ]

    @Test(arguments: lists.indices)
    func `a key that doesn't suit is refused`(index: Int) {
        #expect(throws: WebAuthnError.attestationUnsound(.keyDescription)) { try register(Self.lists[index].1) }
    }

    @Test func `a key for another challenge, and another key, are refused`() {
        #expect(throws: WebAuthnError.attestationUnsound(.nonceMismatch)) {
            try register { $0.challenge = { $0[0] ^= 1 } }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.keyMismatch)) { try register(for: SigningKey(.es256)) }
    }

    @Test func `a certificate that doesn't describe its key is refused`() {
        let (leaf, attester) = (maker.leaf(), maker.attester)
        #expect(throws: WebAuthnError.attestationUnsound(.keyMismatch)) {
            try maker.register { ("android-key", $0.packed(by: attester, [leaf]).statement) }
        }
        let root = maker.root
        #expect(throws: WebAuthnError.attestationUnsound(.requirement(.keyDescription))) {
            try maker.register { draft in
                let own = CertificateDraft(of: draft.key).issued(by: root)
                return ("android-key", draft.packed(by: draft.key, [own]).statement)
            }
        }
    }
}

struct AppleAttestationTests {
    private let maker = AttestationSite()

    @Test func `a certificate for the key over the nonce is taken`() throws {
        let attestation = try maker.register { [root = maker.root] in $0.apple(by: root) }.attestation
        #expect(attestation.format == .apple && attestation.type == .anonymizationCA && attestation.isTrusted)
    }

    @Test func `another nonce, another key and no nonce are refused`() {
        let (root, leaf, stranger) = (maker.root, maker.leaf(), SigningKey(.es256))
        #expect(throws: WebAuthnError.attestationUnsound(.nonceMismatch)) {
            try maker.register { $0.apple(by: root) { $0[0] ^= 1 } }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.keyMismatch)) {
            try maker.register { $0.apple(by: root, for: stranger) }
        }
        #expect(throws: WebAuthnError.attestationUnsound(.requirement(.nonce))) {
            try maker.register { _ in ("apple", .map([(.text("x5c"), .array([.bytes(leaf)]))])) }
        }
    }
}
