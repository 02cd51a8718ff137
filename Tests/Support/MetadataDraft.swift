public import Crypto
import FoundationEssentials
import Wire

/// An issue of authenticator metadata to be signed, sound by default.
public struct MetadataDraft: Sendable {
    public var number = 7
    public var nextUpdate = "2099-01-31"
    public var entries: [Entry]
    /// Members of the protected header, as JSON, put in place of those that a sound one has.
    public var header: [String: JSONValue] = [:]
    /// Changes the payload before it is signed.
    public var payload: @Sendable (inout String) -> Void = { _ in }

    public init(_ entries: [Entry] = [], _ change: (inout MetadataDraft) -> Void = { _ in }) {
        self.entries = entries
        change(&self)
    }

    /// One model.
    public struct Entry: Sendable {
        public var aaguid: String?
        public var keyIdentifiers: [String] = []
        public var name = "Model"
        public var icon: String?
        public var roots: [[UInt8]]
        public var reports: [(status: String, day: String?)] = []

        public init(
            aaguid: [UInt8]? = nil,
            roots: [[UInt8]] = [],
            _ change: (inout Entry) -> Void = { _ in }
        ) {
            self.aaguid = aaguid.map(Self.text)
            self.roots = roots
            change(&self)
        }

        private static func text(_ aaguid: [UInt8]) -> String {
            let digits = aaguid.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let ends = [0, 8, 12, 16, 20, 32]
            return zip(ends, ends.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
        }

        var json: JSONValue {
            var statement: [String: JSONValue] = [
                "description": .string(name), "schema": .number(3),
                "attestationRootCertificates": .array(roots.map { .string(Data($0).base64EncodedString()) }),
            ]
            statement["icon"] = icon.map(JSONValue.string)
            var members: [String: JSONValue] = [
                "metadataStatement": .object(statement),
                "statusReports": .array(
                    reports.map { report in
                        var members: [String: JSONValue] = ["status": .string(report.status)]
                        members["effectiveDate"] = report.day.map(JSONValue.string)
                        return .object(members)
                    }
                ),
                "timeOfLastStatusChange": .string("2024-01-01"),
            ]
            members["aaguid"] = aaguid.map(JSONValue.string)
            if !keyIdentifiers.isEmpty {
                members["attestationCertificateKeyIdentifiers"] = .array(keyIdentifiers.map(JSONValue.string))
            }
            return .object(members)
        }
    }

    /// The signed text: a JWS in compact form.
    public func signed(by publisher: MetadataPublisher) throws -> [UInt8] {
        let sound: JSONValue = .object([
            "legalHeader": .string("…"), "no": .number(Double(number)), "nextUpdate": .string(nextUpdate),
            "entries": .array(entries.map(\.json)),
        ])
        var text = String(decoding: try sound.encoded, as: UTF8.self)
        payload(&text)
        let members = publisher.header.merging(header) { _, new in new }.filter { $0.value != .null }
        let parts = [Array(try JSONValue.object(members).encoded), Array(text.utf8)]
        let signed = parts.map { Base64URL(bytes: $0).text }.joined(separator: ".")
        let signature = publisher.signature(over: Array(signed.utf8))
        return Array("\(signed).\(Base64URL(bytes: signature).text)".utf8)
    }
}

/// Whoever publishes metadata, with a root of its own.
public struct MetadataPublisher: Sendable {
    public static let host = "mds.example.test"

    public let root = CertificateIssuer("Metadata Root")
    public let key: SigningKey
    public let leaf: [UInt8]

    /// - Parameter change: To the signing certificate.
    public init(key: SigningKey = SigningKey(.es256), _ change: (inout CertificateDraft) -> Void = { _ in }) {
        self.key = key
        leaf = CertificateDraft(of: key) {
            $0.extensions.append(.alternativeHost(Self.host))
            change(&$0)
        }.issued(by: root)
    }

    public var anchors: TrustAnchors { TrustAnchors([try? Certificate(der: root.root)].compactMap(\.self)) }

    var header: [String: JSONValue] {
        let name = "\(key.algorithm)".uppercased()
        return [
            "alg": .string(name), "typ": .string("JWT"), "x5c": .array([.string(Data(leaf).base64EncodedString())]),
        ]
    }

    /// As JOSE has it: an ECDSA signature is two numbers of 32 bytes (RFC 7518 §3.4).
    func signature(over bytes: [UInt8]) -> [UInt8] {
        let signature = key.sign(bytes)
        guard key.algorithm == .es256,
            var numbers = try? DERReader(DERElement(parsing: signature).content(of: .sequence))
        else { return signature }
        return (0..<2).flatMap { _ in
            let number = ((try? numbers.next(.integer))?.content ?? []).drop { $0 == 0 }
            return [UInt8](repeating: 0, count: 32 - number.count) + number
        }
    }
}

extension DERItem {
    /// A dNSName among the alternative names.
    public static func alternativeHost(_ name: String) -> DERItem {
        .extension(.subjectAlternativeName, .sequence(.element(tag: 0x82, Array(name.utf8))))
    }
}
