import Crypto
import FoundationEssentials
import GatehouseKit
import GatehouseTesting
import Testing

@testable import PasswordProvider

enum BreachFiles {
    static func digits(of password: String) -> String {
        HashFunction.sha1.hash(Array(password.utf8)).map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }

    static func write(_ lines: [String], to folder: TemporaryFolder, ending: String = "\n") -> String {
        write(lines.map { $0 + ending }.joined(), to: folder)
    }

    static func write(_ text: String, to folder: TemporaryFolder) -> String {
        let path = folder.path + "/breaches.txt"
        try? Data(text.utf8).write(to: URL(filePath: path))
        return path
    }
}

struct BreachFileTests {
    private let folder = TemporaryFolder()

    private func finds(_ password: String, _ file: BreachFile) throws -> Bool {
        try file.contains(Array(BreachFiles.digits(of: password).utf8))
    }

    @Test(arguments: [1, 2, 80, 90, 5_000], ["\n", "\r\n"])
    func `each line is found, and nothing else`(count: Int, ending: String) throws {
        let passwords = (0..<count).map { "password \($0)" }
        let lines = passwords.map { BreachFiles.digits(of: $0) + ":\($0.count * 977)" }.sorted()
        let file = try #require(BreachFile(BreachFiles.write(lines, to: folder, ending: ending)))
        for password in passwords { #expect(try finds(password, file)) }
        for index in 0..<count { #expect(try !finds("passphrase \(index)", file)) }
        for edge in ["0", "F"] {
            #expect(try !file.contains(Array(String(repeating: edge, count: 40).utf8)))
        }
    }

    @Test func `the last line may be without an end`() throws {
        let lines = (0..<500).map { BreachFiles.digits(of: "\($0)") + ":1" }.sorted()
        let file = try #require(BreachFile(BreachFiles.write(lines.joined(separator: "\n"), to: folder)))
        for index in 0..<500 { #expect(try finds("\(index)", file)) }
    }

    @Test(arguments: ["", "no hashes", "0123:1\n", "correct horse battery staple, and so on and on and on:1\n"])
    func `another kind of file is none`(text: String) throws {
        #expect(BreachFile(BreachFiles.write(text, to: folder)) == nil)
        #expect(BreachFile(folder.path + "/nowhere") == nil)
    }

    @Test func `a file that turns out to be none is a fault, and the switch says what follows`() throws {
        let line = BreachFiles.digits(of: "first") + ":1\n"
        let text = line + String(repeating: "x", count: 100_000)
        let file = try #require(BreachFile(BreachFiles.write(text, to: folder)))
        #expect(throws: ProviderFault.self) { try finds("second", file) }
        let required = Breaches(.file(file), isRequired: true, log: Log { _ in })
        #expect(throws: ProviderFault.self) { try required.contain(Array("second".utf8)) }
        let wanted = Breaches(.file(file), isRequired: false, log: Log { _ in })
        #expect(try !wanted.contain(Array("second".utf8)))
    }
}
