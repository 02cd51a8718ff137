import FoundationEssentials
import Glibc

/// A file that is read line by line, a piece of it in memory at a time.
final class InputFile {
    /// In bytes.
    private static let maximumLineLength = 1 << 16
    private static let pieceLength = 1 << 16
    /// For formats that can only be read whole.
    private static let maximumDocumentLength = 512 << 20

    private let descriptor: CInt
    private let length: Int
    private var piece: ArraySlice<UInt8> = []
    private var readLength = 0
    /// Of the line that was read last, counted from 1.
    private(set) var lineNumber = 0

    init(_ path: String) throws(SourceFault) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Self.unreadable
        }
        length = Int(status.st_size)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static let unreadable = SourceFault("can't be read; name a file that you may read", code: .noInput)

    var progress: Double { length == 0 ? 1 : min(1, Double(readLength - piece.count) / Double(length)) }

    /// The next line without its LF; `nil` at the end.
    func line() throws(SourceFault) -> [UInt8]? {
        while true {
            if let end = piece.firstIndex(of: UInt8(ascii: "\n")) { return take(to: end) }
            guard piece.count <= Self.maximumLineLength else {
                throw SourceFault("line \(lineNumber + 1) is longer than 64 KiB; nothing from there on was read")
            }
            guard try fill() else { return piece.isEmpty ? nil : take(to: piece.endIndex) }
        }
    }

    private func take(to end: Int) -> [UInt8] {
        lineNumber += 1
        defer { piece = piece[min(end + 1, piece.endIndex)...] }
        return Array(piece[..<end])
    }

    /// - Returns: `false` at the end of the file.
    private func fill() throws(SourceFault) -> Bool {
        var next = [UInt8](repeating: 0, count: Self.pieceLength)
        let count = unsafe read(descriptor, &next, next.count)
        guard count >= 0 else { throw Self.unreadable }
        readLength += count
        piece = ArraySlice(Array(piece) + next.prefix(count))
        return count > 0
    }

    /// All of a file.
    static func load(_ path: String) throws(SourceFault) -> [UInt8] {
        let file = try InputFile(path)
        guard file.length <= maximumDocumentLength else {
            throw SourceFault("larger than 512 MiB; divide it, or turn it into CSV or JSON Lines")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw unreadable }
        return [UInt8](data)
    }

    /// The beginning of a file, as text.
    static func beginning(_ path: String) throws(SourceFault) -> String {
        let file = try InputFile(path)
        _ = try file.fill()
        return String(decoding: file.piece, as: UTF8.self)
    }
}
