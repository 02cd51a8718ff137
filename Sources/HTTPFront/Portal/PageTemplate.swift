/// A page with gaps, written `{{key}}`, that are filled with text and never with markup.
struct PageTemplate: Sendable {
    private enum Piece {
        case markup(String)
        case gap(String)
    }

    private let pieces: [Piece]

    /// - Parameter values: What is the same on every page; gaps of other names stay open.
    init(_ source: String, filling values: [String: String]) {
        var pieces: [Piece] = []
        var rest = source[...]
        while let opening = rest.firstRange(of: "{{"), let closing = rest[opening.upperBound...].firstRange(of: "}}") {
            let key = String(rest[opening.upperBound..<closing.lowerBound])
            pieces.append(.markup(String(rest[..<opening.lowerBound])))
            pieces.append(values[key].map { .markup(Self.escaped($0)) } ?? .gap(key))
            rest = rest[closing.upperBound...]
        }
        self.pieces = pieces + [.markup(String(rest))]
    }

    /// The names of the gaps that are left.
    var gaps: [String] {
        pieces.compactMap { if case .gap(let key) = $0 { key } else { nil } }
    }

    /// - Parameter values: Text for the gaps that are left; one without text stays empty.
    func page(_ values: [String: String] = [:]) -> [UInt8] {
        var page = ""
        for piece in pieces {
            switch piece {
            case .markup(let text): page += text
            case .gap(let key): page += Self.escaped(values[key] ?? "")
            }
        }
        return Array(page.utf8)
    }

    /// Text as it may stand between tags and in quoted attributes (HTML standard, "Escaping a string").
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\0": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
