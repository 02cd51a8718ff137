import Crypto
import Wire

/// A statement with all that it can be about: the verification procedure inputs of §6.5.4.
struct AttestationEvidence: Sendable {
    let statement: AttestationStatement
    let data: AuthenticatorData
    let credential: AuthenticatorData.AttestedCredential
    let key: COSEKey
    let encodedData: [UInt8]
    let clientDataHash: [UInt8]

    /// What the signatures of most formats cover.
    var signedBytes: [UInt8] { encodedData + clientDataHash }

    /// Runs the verification procedure of the format (step 21 of §7.1).
    func verified() throws(WebAuthnError) -> AttestationFinding {
        switch try statement.knownFormat() {
        case .none: return try noneFinding()
        case .androidSafetyNet: throw .attestationFormatRetired
        case .compound: return try CompoundAttestation.verify(self)
        case let format:
            let members = try StatementMembers(statement.value)
            do { return try finding(format, members) } catch { throw .attestationUnsound(error) }
        }
    }

    private func finding(
        _ format: AttestationFormat,
        _ members: StatementMembers
    ) throws(AttestationFault) -> AttestationFinding {
        switch format {
        case .packed: try PackedAttestation.verify(members, self)
        case .tpm: try TPMAttestation.verify(members, self)
        case .androidKey: try AndroidKeyAttestation.verify(members, self)
        case .fidoU2F: try U2FAttestation.verify(members, self)
        case .apple: try AppleAttestation.verify(members, self)
        case .none, .androidSafetyNet, .compound: throw .compound
        }
    }

    /// "none" (§8.7, `#sctn-none-attestation`): the empty map.
    private func noneFinding() throws(WebAuthnError) -> AttestationFinding {
        _ = try statement.unverifiedAttestation()
        return AttestationFinding(.none, .none)
    }

    /// The same with another statement about it.
    func replacing(_ statement: AttestationStatement) -> AttestationEvidence {
        AttestationEvidence(
            statement: statement,
            data: data,
            credential: credential,
            key: key,
            encodedData: encodedData,
            clientDataHash: clientDataHash
        )
    }
}

extension AttestationEvidence {
    /// Throws unless the certificate's key made a signature with the algorithm of the statement.
    func checkSignature(
        _ signature: [UInt8],
        over message: [UInt8],
        by certificate: Certificate,
        _ algorithm: SignatureAlgorithm?
    ) throws(AttestationFault) {
        guard let algorithm else { throw .algorithm }
        let key: any PublicKey
        do throws(CertificateFault) {
            key = try certificate.publicKey(for: algorithm)
        } catch { throw error == .unsupportedKey ? .algorithm : .certificates(.certificate(error)) }
        guard key.isValid(signature: signature, over: message) else { throw .signature }
    }

    /// Throws unless a certificate that names an AAGUID (§8.2.1) names this one.
    ///
    /// The extension may not be critical, and holds an OCTET STRING in its own.
    func checkAAGUID(in certificate: Certificate) throws(AttestationFault) {
        guard let stated = certificate.fields.firstExtension("1.3.6.1.4.1.45724.1.1.4") else { return }
        let element = try? DERElement(parsing: stated.value)
        guard !stated.isCritical, let element, element.tag == .octetString, element.content.count == 16 else {
            throw .requirement(.aaguidExtension)
        }
        guard element.content == credential.aaguid else { throw .aaguidMismatch }
    }
}

extension CertificateFields {
    /// What §8.2.1 and §8.3.1 ask alike: version 3, and basic constraints that say it is no authority.
    func checkIsEndEntity() throws(AttestationFault) {
        guard version == 3 else { throw .requirement(.version) }
        let isAuthority: Bool?
        do throws(WireFault) { isAuthority = try self.isAuthority } catch { throw .requirement(.notAuthority) }
        guard isAuthority == false else { throw .requirement(.notAuthority) }
    }
}
