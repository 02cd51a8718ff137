import CIDN2
import Wire

/// An origin as operators write it.
enum PublicURL {
    /// Accepts a slash at the end, upper case and international names, which become A-labels (IDNA 2008).
    ///
    /// - Returns: `nil` for anything but an https origin, or an http one on localhost.
    static func parse(_ text: String) -> WebOrigin? {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let origin = WebOrigin(ascii(trimmed) ?? trimmed) else { return nil }
        return origin.scheme == .https || origin.isLocalhost ? origin : nil
    }

    /// The text with its host in A-labels; `nil` if it has no host that could be.
    private static func ascii(_ text: String) -> String? {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty else { return nil }
        let host = parts[2].prefix { $0 != ":" }
        var labels: UnsafeMutablePointer<CChar>?
        let flags = Int32(IDN2_NONTRANSITIONAL.rawValue | IDN2_NFC_INPUT.rawValue)
        guard unsafe idn2_to_ascii_8z(String(host), &labels, flags) == IDN2_OK.rawValue, let labels = unsafe labels
        else {
            return nil
        }
        defer { unsafe idn2_free(labels) }
        let name = unsafe String(cString: labels)
        return "\(parts[0])//\(name)\(parts[2].dropFirst(host.count))"
    }
}
