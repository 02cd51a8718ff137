import GatehouseCore
import GatehouseKit

/// A password file of Apache or nginx: `name:hash` (httpd 2.4, `htpasswd`).
struct HtpasswdSource: AccountSource {
    private let file: InputFile

    init(_ path: String) throws(SourceFault) { file = try InputFile(path) }

    var progress: Double { file.progress }

    mutating func next() throws(SourceFault) -> ForeignRecord? {
        while let line = try file.line() {
            let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
            guard let first = content.first, first != UInt8(ascii: "#") else { continue }
            return ForeignRecord(.line(file.lineNumber), Self.account(content))
        }
        return nil
    }

    private static func account(_ line: ArraySlice<UInt8>) -> Result<ForeignAccount, Refusal> {
        guard let text = String(validating: line, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            text.index(after: colon) < text.endIndex
        else { return .failure(Refusal(.invalidValue, "the line is not a name, a colon and a hash")) }
        let hash = String(text[text.index(after: colon)...])
        return .success(ForeignAccount(username: String(text[..<colon]), storedSecret: hash))
    }
}
