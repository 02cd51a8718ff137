/// Whether a credential can be found without an allow list: the `credProps` extension (§10.1.3).
public enum Discoverability: String, Codable, Sendable {
    case discoverable
    case notDiscoverable = "not-discoverable"
    /// The client didn't say.
    case unknown
}

/// Whether an authenticator is part of the client device (§5.4.5).
public enum AuthenticatorAttachment: String, Codable, Sendable {
    case platform
    case crossPlatform = "cross-platform"
}

/// The transports of a credential as the client names them (§5.8.4), to be handed back to it later.
///
/// Names are open-ended and known to few, so an unknown one is kept. One that no specification would coin (over 32 bytes,
/// or other than letters, digits and hyphens) and a repeated one are dropped, and so is what exceeds sixteen.
struct TransportList: Decodable {
    private static let maximumCount = 16
    private static let maximumLength = 32

    let names: [String]

    init(from decoder: any Decoder) throws {
        var names: [String] = []
        for name in try decoder.singleValueContainer().decode([String].self)
        where names.count < Self.maximumCount && Self.isPlain(name) && !names.contains(name) {
            names.append(name)
        }
        self.names = names
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...maximumLength).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || isDigit($0)) }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
