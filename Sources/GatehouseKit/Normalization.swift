import CUnistring
import Glibc

/// Unicode normalization forms (UAX #15), through libunistring.
enum Normalization {
    static func nfc(_ text: String) -> String? { unsafe apply(gatehouse_nfc, to: text) }

    static func nfkc(_ text: String) -> String? { unsafe apply(gatehouse_nfkc, to: text) }

    private typealias Form =
        @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt8>?

    /// - Returns: `nil` only when memory ran out.
    private static func apply(_ form: Form, to text: String) -> String? {
        let utf8 = Array(text.utf8)
        var count = 0
        guard let normalized = unsafe form(utf8, utf8.count, &count) else { return nil }
        defer { unsafe free(normalized) }
        return unsafe String(decoding: UnsafeBufferPointer(start: normalized, count: count), as: UTF8.self)
    }
}
