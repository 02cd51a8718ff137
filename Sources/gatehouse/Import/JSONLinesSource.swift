import FoundationEssentials
import GatehouseCore
import GatehouseKit
import Wire

/// JSON Lines: an object a line, with the names of our CSV columns.
struct JSONLinesSource: AccountSource {
    private let file: InputFile

    init(_ path: String) throws(SourceFault) { file = try InputFile(path) }

    var progress: Double { file.progress }

    mutating func next() throws(SourceFault) -> ForeignRecord? {
        while let line = try file.line() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            return ForeignRecord(.line(file.lineNumber), Self.account(line))
        }
        return nil
    }

    private static func account(_ line: [UInt8]) -> Result<ForeignAccount, Refusal> {
        guard (try? StrictJSON.check(line)) != nil,
            let object = try? JSONDecoder().decode(Object.self, from: Data(line))
        else {
            return .failure(
                Refusal(
                    .invalidValue,
                    "not an object of username, email, display_name, groups, password_hash and disabled, and no others"
                )
            )
        }
        return .success(object.account)
    }

    private struct Object: Decodable {
        let account: ForeignAccount

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        /// A misspelt name must not mean that a password is left behind.
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            guard members.allKeys.allSatisfy({ HouseTable.columns.contains($0.stringValue) }) else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "unknown member"))
            }
            func text(_ name: String) throws -> String? {
                try members.decodeIfPresent(String.self, forKey: Key(stringValue: name))
            }
            account = ForeignAccount(
                username: try text("username"),
                email: try text("email"),
                displayName: try text("display_name"),
                groups: try members.decodeIfPresent([String].self, forKey: Key(stringValue: "groups")) ?? [],
                isDisabled: try members.decodeIfPresent(Bool.self, forKey: Key(stringValue: "disabled")) ?? false,
                storedSecret: try text("password_hash")
            )
        }
    }
}
