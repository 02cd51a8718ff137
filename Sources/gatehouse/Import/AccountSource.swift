import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// A file of accounts, read record by record.
protocol AccountSource {
    /// - Returns: `nil` at the end.
    /// - Throws: where nothing that follows could be trusted either.
    mutating func next() throws(SourceFault) -> ForeignRecord?

    /// How much of the file has been read, from 0 to 1.
    var progress: Double { get }
}

/// Why a file can't be read, or not any further.
struct SourceFault: Error {
    let code: CommandFailure.Code
    /// Says what to do, and nothing of the content: it may be a password.
    let message: String

    init(_ message: String, code: CommandFailure.Code = .data) {
        self.message = message
        self.code = code
    }
}

/// What other systems write.
enum ImportFormat: String, CaseIterable {
    case csv, jsonl, htpasswd, authelia, django, keycloak, firebase, clerk, kratos

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// - Parameter parameters: Of the project, for Firebase.
    func open(_ path: String, parameters: FirebaseParameters?) throws(SourceFault) -> any AccountSource {
        switch self {
        case .csv: try TableSource(path, reading: HouseTable.self)
        case .clerk: try TableSource(path, reading: ClerkTable.self)
        case .jsonl: try JSONLinesSource(path)
        case .htpasswd: try HtpasswdSource(path)
        case .authelia: try AutheliaSource(path)
        case .django: try DjangoDump.open(path)
        case .keycloak: try KeycloakExport.open(path)
        case .kratos: try KratosList.open(path)
        case .firebase: try FirebaseExport.open(path, parameters)
        }
    }
}

/// A JSON document whose accounts are the elements of one array.
struct DocumentSource: AccountSource {
    private let document: JSONDocument
    private let read: (Data) throws -> ForeignAccount?
    private var index = 0

    /// How many arrays and objects may stand in each other; the exports of whole realms have about ten.
    private static let maximumDepth = 32

    /// - Parameter read: Reads one element; `nil` for one that is no account.
    init(_ document: JSONDocument, _ read: @escaping (Data) throws -> ForeignAccount?) {
        self.document = document
        self.read = read
    }

    /// - Parameter array: The member that holds the accounts, where the document isn't an array itself.
    static func load(_ path: String, dividing array: String?) throws(SourceFault) -> JSONDocument {
        let bytes = try InputFile.load(path)
        do throws(WireFault) {
            guard let array, bytes.first(where: { $0 > 0x20 }) != UInt8(ascii: "[") else {
                return try JSONDocument(parsingArray: bytes, depth: maximumDepth)
            }
            return try JSONDocument(parsing: bytes, dividing: array, depth: maximumDepth)
        } catch { throw SourceFault("not the JSON of this format, at byte \(error.offset)") }
    }

    var progress: Double { document.count == 0 ? 1 : Double(index) / Double(document.count) }

    mutating func next() throws(SourceFault) -> ForeignRecord? {
        while index < document.count {
            let element = Data(document.element(index))
            index += 1
            do {
                guard let account = try read(element) else { continue }
                return ForeignRecord(.record(index), .success(account))
            } catch let refusal as Refusal {
                return ForeignRecord(.record(index), .failure(refusal))
            } catch {
                return ForeignRecord(
                    .record(index),
                    .failure(Refusal(.invalidValue, "the record lacks a member or has one of another type"))
                )
            }
        }
        return nil
    }
}

/// Base64 with the letters of either alphabet, in those of the standard one.
func standardBase64(_ text: String) -> String { String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }) }

/// First and last name as one.
func fullName(_ parts: String?...) -> String? {
    let name = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    return name.isEmpty ? nil : name
}
