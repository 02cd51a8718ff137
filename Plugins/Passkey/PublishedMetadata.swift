import Crypto
public import GatehouseKit
public import WebAuthn
public import WebClient

/// Authenticator metadata as a document that its signer renews.
public struct PublishedMetadata: PublishedDocument {
    public let metadata: AuthenticatorMetadata
    private let signer: MetadataSigner

    public let name: StaticString = "authenticator metadata"
    public let maximumSize = MetadataBLOB.maximumSize

    /// - Parameter statuses: A model with one of these among its reports is not trusted.
    public init(signedBy signer: MetadataSigner, refusing statuses: Set<AuthenticatorStatus>) {
        self.signer = signer
        metadata = AuthenticatorMetadata(refusing: statuses)
    }

    public var isKnown: Bool { metadata.current != nil }

    /// What a text says, if it was signed by whom it should be.
    public func verified(_ text: [UInt8], at now: Timestamp) throws(DocumentProblem) -> MetadataBLOB {
        do throws(MetadataFault) {
            return try MetadataBLOB(verifying: text, by: signer, at: now.milliseconds / 1_000)
        } catch { throw DocumentProblem(error.reason) }
    }

    public func take(_ text: [UInt8], at now: Timestamp, _ log: Log) throws(DocumentProblem) {
        let issue = try verified(text, at: now)
        do { try metadata.replace(with: issue) } catch { throw DocumentProblem(error.reason) }
        log(
            .notice,
            "authenticator metadata is in use",
            ["number": issue.number, "models": issue.count, "unreadable": issue.unreadableCount]
        )
        if issue.nextUpdate < now.milliseconds / 1_000 {
            log(.error, "authenticator metadata is past the day of its next update")
        }
    }
}

extension MetadataFault {
    fileprivate var reason: StaticString {
        switch self {
        case .size: "too large"
        case .malformed: "not a signed BLOB of metadata"
        case .header: "its header names no certificates, or asks for what is not supported"
        case .algorithm: "signed with an algorithm that is not supported"
        case .signer(.expired): "the signer's certificate has expired"
        case .signer(.host): "the signer's certificate is for another host"
        case .signer: "the signer's certificate leads to no trusted root"
        case .signature: "the signature is wrong"
        case .older: "older than the one in use"
        }
    }
}
