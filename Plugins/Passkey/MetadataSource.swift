import Crypto
import FoundationEssentials
public import GatehouseKit
public import WebAuthn

/// Where authenticator metadata comes from.
public struct MetadataSource: Sendable {
    /// The signed BLOB.
    ///
    /// With an address each issue is written there, so that a restart needs no network.
    public let file: String
    /// An https URL; `nil` where somebody else renews the file.
    public let url: String?
    /// How long an issue is good before the next one is fetched.
    public let refresh: Timestamp.Span
    public let signer: MetadataSigner

    public init(file: String, url: String?, refresh: Timestamp.Span, signer: MetadataSigner) {
        self.file = file
        self.url = url
        self.refresh = refresh
        self.signer = signer
    }

    /// The issue in the file.
    ///
    /// - Returns: `nil` if there is no file yet, as before the first issue is fetched.
    public func kept(at now: Timestamp) throws(MetadataProblem) -> MetadataBLOB? {
        guard written != nil else {
            if url == nil { throw .missing }
            return nil
        }
        guard let text = try? Data(contentsOf: URL(filePath: file)) else { throw .unreadable }
        return try verified([UInt8](text), at: now)
    }

    func verified(_ text: [UInt8], at now: Timestamp) throws(MetadataProblem) -> MetadataBLOB {
        do throws(MetadataFault) {
            return try MetadataBLOB(verifying: text, by: signer, at: now.milliseconds / 1_000)
        } catch { throw .refused(error) }
    }

    /// When the file was written; `nil` if there is none.
    var written: Date? {
        (try? FileManager.default.attributesOfItem(atPath: file))?[.modificationDate] as? Date
    }

    func write(_ text: [UInt8]) -> Bool {
        (try? Data(text).write(to: URL(filePath: file), options: .atomic)) != nil
    }
}

/// Why there is no metadata.
public enum MetadataProblem: Error {
    case missing
    case unreadable
    case refused(MetadataFault)

    public var reason: StaticString {
        switch self {
        case .missing: "there is no such file"
        case .unreadable: "the file can't be read"
        case .refused(.size): "too large"
        case .refused(.malformed): "not a signed BLOB of metadata"
        case .refused(.header): "its header names no certificates, or asks for what is not supported"
        case .refused(.algorithm): "signed with an algorithm that is not supported"
        case .refused(.signer(.expired)): "the signer's certificate has expired"
        case .refused(.signer(.host)): "the signer's certificate is for another host"
        case .refused(.signer): "the signer's certificate leads to no trusted root"
        case .refused(.signature): "the signature is wrong"
        case .refused(.older): "older than the one in use"
        }
    }
}
