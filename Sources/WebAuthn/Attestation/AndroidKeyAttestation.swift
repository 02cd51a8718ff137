import Crypto

/// "android-key" (WebAuthn Level 3 §8.4, `#sctn-android-key-attestation`, editor's draft of 2026-07-30).
enum AndroidKeyAttestation {
    static func verify(
        _ members: StatementMembers,
        _ evidence: AttestationEvidence
    ) throws(AttestationFault) -> AttestationFinding {
        let algorithm = try members.algorithm()
        let signature = try members.bytes(.sig)
        let chain = try members.certificates()
        try evidence.checkSignature(signature, over: evidence.signedBytes, by: chain.leaf, algorithm.signature)
        guard chain.leaf.fields.key == evidence.key.material else { throw .keyMismatch }
        guard let stated = chain.leaf.fields.firstExtension(AndroidKeyDescription.extensionType),
            let description = AndroidKeyDescription(parsing: stated.value)
        else { throw .requirement(.keyDescription) }
        guard description.challenge == evidence.clientDataHash else { throw .nonceMismatch }
        guard description.suitsCredential else { throw .keyDescription }
        return AttestationFinding(.androidKey, .basic, [chain])
    }
}

extension AndroidKeyDescription {
    /// Whether the key is for one application, was made where it is kept, and signs.
    ///
    /// The union of both lists is asked, and a list that says nothing of origin or purpose says nothing against the key,
    /// as in the test vectors of §16.
    fileprivate var suitsCredential: Bool {
        [softwareEnforced, hardwareEnforced].allSatisfy { list in
            !list.isForAllApplications && (list.origin ?? 0) == 0 && list.purposes?.contains(2) ?? true
        }
    }
}
