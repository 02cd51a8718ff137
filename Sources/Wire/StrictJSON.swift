/// A check that bytes are exactly one JSON value (RFC 8259), before any decoder sees them.
///
/// Decoders are lenient where it matters: they take the first or the last of two equal keys, and some stop at the end of
/// the first value. This refuses duplicate keys, trailing bytes, unpaired surrogates, text that isn't UTF-8 and deep
/// nesting.
public enum StrictJSON {
    /// - Parameter depth: How many arrays and objects may stand in each other.
    public static func check(_ bytes: [UInt8], depth: Int = 16) throws(WireFault) {
        var scanner = try JSONScanner(bytes, depth: depth, unpairedSurrogates: .refused)
        _ = try scanner.value()
        try scanner.finish()
    }
}
