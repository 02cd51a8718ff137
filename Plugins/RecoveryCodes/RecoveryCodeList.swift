import Crypto
import Wire

/// The codes of an account as they are stored: digests, and which of them were used.
///
/// Each list has its own salt, so that equal codes of two accounts don't show.
struct RecoveryCodeList: Equatable {
    private struct Entry: Equatable {
        let digest: [UInt8]
        let isUsed: Bool
    }

    private static let version: UInt8 = 1

    private let salt: [UInt8]
    private let entries: [Entry]

    private init(salt: [UInt8], entries: [Entry]) {
        self.salt = salt
        self.entries = entries
    }

    init(of codes: [RecoveryCode]) {
        let salt = Random.bytes(SHA256.byteCount)
        let hash = HMAC256(key: salt)
        self.init(salt: salt, entries: codes.map { Entry(digest: hash.code(for: $0.digits), isUsed: false) })
    }

    var total: Int { entries.count }

    var remaining: Int { entries.count { !$0.isUsed } }

    func isUsed(at place: Int) -> Bool { entries[place].isUsed }

    /// Where a code stands; compared with all of them, used or not, whichever it is.
    func place(of code: RecoveryCode) -> Int? {
        let digest = HMAC256(key: salt).code(for: code.digits)
        return entries.indices.reduce(into: nil) { found, place in
            if ConstantTime.equal(entries[place].digest, digest) { found = place }
        }
    }

    /// The same list with one code used.
    func using(_ place: Int) -> Self {
        var entries = entries
        entries[place] = Entry(digest: entries[place].digest, isUsed: true)
        return Self(salt: salt, entries: entries)
    }
}

// MARK: - Encoding

extension RecoveryCodeList {
    /// The version, how many codes, the salt, and for each code whether it was used and its digest.
    var encoded: [UInt8] {
        [Self.version, UInt8(entries.count)] + salt + entries.flatMap { [$0.isUsed ? 1 : 0] + $0.digest }
    }

    /// - Returns: `nil` for bytes that no version wrote.
    init?(_ bytes: [UInt8]) {
        do throws(WireFault) {
            let span = bytes.span
            var reader = ByteReader(span)
            guard try reader.readUInt8(span) == Self.version else { return nil }
            let count = Int(try reader.readUInt8(span))
            salt = try reader.take(SHA256.byteCount, span)
            var entries: [Entry] = []
            for _ in 0..<count {
                let mark = try reader.readUInt8(span)
                guard mark <= 1 else { return nil }
                entries.append(Entry(digest: try reader.take(SHA256.byteCount, span), isUsed: mark == 1))
            }
            try reader.finish()
            self.entries = entries
        } catch { return nil }
    }
}
