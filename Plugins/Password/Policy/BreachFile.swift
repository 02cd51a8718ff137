import GatehouseKit
import Glibc

/// A file of the hashes of breached passwords: 40 hexadecimal digits in capitals, a colon and a number a line, in order.
///
/// It may have any size, as it is searched where it is: some twenty reads for a billion lines.
public final class BreachFile: Sendable {
    private let descriptor: CInt
    private let size: Int

    /// How much is read at the end, line by line; longer than any line.
    private static let blockSize = 4_096
    private static let longestLine = 64
    private static let digitCount = 40

    /// - Returns: `nil` if it can't be read, or is another kind of file.
    public init?(_ path: String) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        size = Int(lseek(descriptor, 0, SEEK_END))
        guard (try? line(from: 0)) != nil else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// - Parameter digits: All of a hash.
    func contains(_ digits: [UInt8]) throws(ProviderFault) -> Bool {
        let block = try lastBlock(startingUpTo: digits)
        let bytes = try read(at: block * Self.blockSize, Self.blockSize + Self.longestLine)
        return bytes.split(separator: UInt8(ascii: "\n")).contains { BreachLine($0)?.names(digits[...]) ?? false }
    }

    /// The last block whose first whole line is not behind the one that is sought.
    private func lastBlock(startingUpTo digits: [UInt8]) throws(ProviderFault) -> Int {
        var (low, high) = (0, (size + Self.blockSize - 1) / Self.blockSize)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            guard let first = try firstLine(ofBlock: middle) else {
                high = middle
                continue
            }
            if first.lexicographicallyPrecedes(digits) || first == digits { low = middle } else { high = middle }
        }
        return low
    }

    /// - Returns: `nil` if no line begins in the block, as at the end of the file.
    private func firstLine(ofBlock block: Int) throws(ProviderFault) -> [UInt8]? {
        // The line may begin with the block, and then the one before it ends right before.
        let start = block * Self.blockSize - 1
        let bytes = try read(at: start, Self.longestLine)
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count == Self.longestLine else { return nil }
            throw ProviderFault("read the file of breached passwords: a line is too long", code: 0, kind: .dependency)
        }
        let next = start + end + 1
        return next < size ? try line(from: next) : nil
    }

    /// The hash in the line that begins here.
    private func line(from offset: Int) throws(ProviderFault) -> [UInt8] {
        let bytes = try read(at: offset, Self.longestLine)
        guard let line = BreachLine(bytes[...]), line.digits.count == Self.digitCount else {
            throw ProviderFault("read the file of breached passwords: not a hash", code: 0, kind: .dependency)
        }
        return Array(line.digits)
    }

    private func read(at offset: Int, _ count: Int) throws(ProviderFault) -> [UInt8] {
        var code: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let read = unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset))
            code = read < 0 ? errno : 0
            initialized = max(0, read)
        }
        guard code == 0 else {
            throw ProviderFault("read the file of breached passwords", code: Int(code), kind: .dependency)
        }
        return bytes
    }
}
