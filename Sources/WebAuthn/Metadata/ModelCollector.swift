import FoundationEssentials
import Wire

/// Reads entries one by one, and keeps equal roots and pictures once: most models share them with others of their maker.
struct ModelCollector {
    private(set) var byAAGUID: [Base64URL: AuthenticatorModel] = [:]
    private(set) var byKeyIdentifier: [Base64URL: AuthenticatorModel] = [:]
    private(set) var count = 0
    private(set) var unreadableCount = 0

    private var roots: [String: [UInt8]] = [:]
    private var icons: Set<String> = []

    /// In characters of the `data:` URL.
    private static let maximumIconSize = 32_768

    /// Takes an entry in; those of UAF, which has authenticators of its own, are left out.
    ///
    /// - Parameter json: A MetadataBLOBPayloadEntry (§3.1.1).
    mutating func add(_ json: [UInt8]) {
        guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(json)), let model = model(entry),
            let aaguids = Self.all([entry.aaguid].compactMap(\.self), AAGUID.bytes),
            let keys = Self.all(entry.attestationCertificateKeyIdentifiers ?? [], Self.keyIdentifier)
        else {
            unreadableCount += 1
            return
        }
        guard !aaguids.isEmpty || !keys.isEmpty else { return }
        count += 1
        for aaguid in aaguids { byAAGUID[aaguid] = model }
        for key in keys { byKeyIdentifier[key] = model }
    }

    private mutating func model(_ entry: Entry) -> AuthenticatorModel? {
        guard let reports = Self.all(entry.statusReports, { $0.report }) else { return nil }
        let statement = entry.metadataStatement
        return AuthenticatorModel(
            name: statement?.description ?? "",
            icon: statement?.icon.flatMap { icon($0) },
            reports: reports,
            roots: statement?.attestationRootCertificates.compactMap { root($0) } ?? []
        )
    }

    /// - Returns: `nil` for what isn't base64, which leads nowhere.
    private mutating func root(_ base64: String) -> [UInt8]? {
        if let known = roots[base64] { return known }
        let digits = base64.utf8.filter { !Character(Unicode.Scalar($0)).isWhitespace && $0 != UInt8(ascii: "=") }
        let root = Base64URL(standard: String(decoding: digits, as: UTF8.self))?.bytes
        roots[base64] = root
        return root
    }

    /// - Returns: `nil` for a picture that is too large or none for the web.
    private mutating func icon(_ url: String) -> String? {
        let prefix = ["data:image/png;base64,", "data:image/svg+xml;base64,"].first(where: url.hasPrefix)
        guard let prefix, url.utf8.count <= Self.maximumIconSize,
            Base64URL(standard: String(url.dropFirst(prefix.count).filter { $0 != "=" })) != nil
        else { return nil }
        return icons.insert(url).memberAfterInsert
    }

    private static func keyIdentifier(_ text: String) -> Base64URL? {
        Hexadecimal.bytes(of: text).flatMap { $0.count == 20 ? Base64URL(bytes: $0) : nil }
    }

    /// Every one made, or `nil`.
    private static func all<Source, Value>(_ sources: [Source], _ make: (Source) -> Value?) -> [Value]? {
        let values = sources.compactMap(make)
        return values.count == sources.count ? values : nil
    }
}

/// What is read of a MetadataBLOBPayloadEntry (§3.1.1).
private struct Entry: Decodable {
    let aaguid: String?
    let attestationCertificateKeyIdentifiers: [String]?
    let metadataStatement: Statement?
    let statusReports: [Report]

    /// A MetadataStatement (FIDO Metadata Statement v3.0 §4).
    struct Statement: Decodable {
        let description: String
        let attestationRootCertificates: [String]
        let icon: String?
    }

    /// A StatusReport (§3.1.3).
    struct Report: Decodable {
        let status: String
        let effectiveDate: String?

        var report: AuthenticatorModel.StatusReport? {
            AuthenticatorModel.StatusReport(status: status, effectiveDate: effectiveDate)
        }
    }
}
