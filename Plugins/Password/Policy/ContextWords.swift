/// Names that anybody would try first: those of the service, its host, and the account (NIST SP 800-63B-4 §3.1.1.2).
struct ContextWords {
    /// The longest first, so that what is a part of another stays whole until then.
    private let words: [String]

    /// In letters; shorter ones are in everything.
    private static let shortest = 3
    /// What a password must have besides them, in code points: as much as NIST asks of any.
    private static let enough = 8

    init(of texts: [String]) {
        let folded = texts.map { $0.lowercased() }
        let parts = folded.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) }
        words = Set(folded + parts).filter { $0.unicodeScalars.count >= Self.shortest }.sorted { $0.count > $1.count }
    }

    /// Whether enough of a password is left without them.
    func leaveEnough(of password: String) -> Bool {
        let rest = words.reduce(password.lowercased()) { rest, word in rest.split(separator: word).joined() }
        return rest.unicodeScalars.count >= Self.enough
    }
}
