import Crypto
import GatehouseKit

/// Passwords that nobody may set.
///
/// Letters count the same in either case. Kept as eight bytes of a hash each: one password in ten million million is taken
/// for one of a million.
public struct PasswordList: Sendable {
    private let digests: Set<UInt64>

    /// - Parameter file: One password a line, in UTF-8.
    public init(_ file: [UInt8]) {
        let lines = file.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        digests = Set(lines.compactMap { Self.digest(of: String(decoding: $0, as: UTF8.self)) })
    }

    public var count: Int { digests.count }

    func contains(_ password: String) -> Bool { Self.digest(of: password).map(digests.contains) ?? false }

    private static func digest(of password: String) -> UInt64? {
        guard let prepared = OpaqueString.prepare(password.lowercased()) else { return nil }
        return SHA256.hash(Array(prepared.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
