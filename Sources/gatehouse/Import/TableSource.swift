import GatehouseCore
import GatehouseKit

/// What the columns of a CSV file are called, and what they mean.
protocol TableLayout {
    static var columns: [String] { get }
    /// Whether columns that aren't in the list may stand there.
    static var allowsOthers: Bool { get }
    static func account(_ row: TableRow) throws(Refusal) -> ForeignAccount
}

/// One record by the names of its columns.
struct TableRow {
    let names: [String: Int]
    let fields: [String]

    subscript(name: String) -> String? {
        names[name].flatMap { fields.indices.contains($0) ? fields[$0] : nil }
    }
}

/// A CSV file with a header.
struct TableSource: AccountSource {
    private let file: InputFile
    private let reader: CSVReader
    private let layout: any TableLayout.Type
    private let names: [String: Int]
    private let width: Int

    init(_ path: String, reading layout: any TableLayout.Type) throws(SourceFault) {
        file = try InputFile(path)
        reader = CSVReader(file)
        self.layout = layout
        guard let header = try reader.next(), let titles = try? header.fields.get() else {
            throw SourceFault("line 1: there is no header; it must name the columns: \(Self.list(layout))")
        }
        names = try Self.names(titles, layout)
        width = titles.count
    }

    private static func list(_ layout: any TableLayout.Type) -> String { layout.columns.joined(separator: ", ") }

    private static func names(
        _ titles: [String],
        _ layout: any TableLayout.Type
    ) throws(SourceFault) -> [String: Int] {
        var names: [String: Int] = [:]
        for (index, title) in titles.enumerated() {
            // Spreadsheets put a byte order mark in front.
            let title =
                index == 0 && title.unicodeScalars.first == "\u{FEFF}"
                ? String(title.unicodeScalars.dropFirst()) : title
            // Not quoted: where there is no header, it is somebody's password hash.
            guard layout.allowsOthers || layout.columns.contains(title) else {
                throw SourceFault(
                    "line 1: the title of column \(index + 1) is none of \(list(layout)); rename or remove it"
                )
            }
            guard names.updateValue(index, forKey: title) == nil else {
                throw SourceFault("line 1: the title of column \(index + 1) stands twice")
            }
        }
        guard names.keys.contains(where: layout.columns.contains) else {
            throw SourceFault("line 1: there is no header; it must name the columns: \(list(layout))")
        }
        return names
    }

    var progress: Double { file.progress }

    mutating func next() throws(SourceFault) -> ForeignRecord? {
        while let record = try reader.next() {
            if case .success([""]) = record.fields { continue }
            return ForeignRecord(.line(record.line), record.fields.flatMap(account))
        }
        return nil
    }

    private func account(_ fields: [String]) -> Result<ForeignAccount, Refusal> {
        guard fields.count == width else {
            return .failure(Refusal(.invalidValue, "the record has more or fewer fields than the header"))
        }
        let row = TableRow(names: names, fields: fields)
        return Result { () throws(Refusal) in try layout.account(row) }
    }
}

/// Our own columns; `groups` are separated by commas or semicolons.
enum HouseTable: TableLayout {
    static let columns = ["username", "email", "display_name", "groups", "password_hash", "disabled"]
    static let allowsOthers = false

    static func account(_ row: TableRow) throws(Refusal) -> ForeignAccount {
        ForeignAccount(
            username: row["username"],
            email: row["email"],
            displayName: row["display_name"],
            groups: groups(row["groups"] ?? ""),
            isDisabled: try flag(row["disabled"] ?? ""),
            storedSecret: row["password_hash"]
        )
    }

    private static func groups(_ text: String) -> [String] {
        text.split { $0 == "," || $0 == ";" }
            .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }

    private static func flag(_ text: String) throws(Refusal) -> Bool {
        switch text {
        case "", "false", "0": false
        case "true", "1": true
        default: throw Refusal(.invalidValue, "disabled must be true or false")
        }
    }
}

/// What Clerk's dashboard exports.
enum ClerkTable: TableLayout {
    static let columns = [
        "username", "primary_email_address", "first_name", "last_name", "password_digest", "password_hasher",
    ]
    static let allowsOthers = true

    /// Hashers whose digests say all there is to know; what was peppered, for example, looks like any other bcrypt.
    private static let hashers = [
        "", "bcrypt", "argon2i", "argon2id", "ldap_ssha", "pbkdf2_sha1", "pbkdf2_sha256", "pbkdf2_sha256_django",
        "pbkdf2_sha512",
    ]

    static func account(_ row: TableRow) throws(Refusal) -> ForeignAccount {
        guard hashers.contains(row["password_hasher"] ?? "") else {
            throw Refusal(.invalidValue, "hashes of this password_hasher are not supported")
        }
        return ForeignAccount(
            username: row["username"],
            email: row["primary_email_address"],
            displayName: fullName(row["first_name"], row["last_name"]),
            storedSecret: row["password_digest"]
        )
    }
}
