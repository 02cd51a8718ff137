public import GatehouseKit
import Wire

/// Which rule decides a request, and why, as operators read it.
public struct AccessExplanation: Encodable, Sendable {
    public let url: String
    public let method: String
    public let address: String?
    /// The path in the form that rules are compared with.
    public let path: String
    /// Every rule up to the one that decides.
    public let rules: [Line]
    /// The number of the rule that decides, counted from 1; `nil` if none matches, which is no.
    public let rule: Int?
    public let decision: String
    public let reason: String
    /// What it is for each live session of the account that was asked about.
    public let sessions: [SessionVerdict]?

    /// One rule, and what it is to the request.
    public struct Line: Encodable, Sendable {
        public let number: Int
        public let rule: String
        public let matches: Bool
        /// The part that the request doesn't match.
        public let differs: String?
    }

    public struct SessionVerdict: Encodable, Sendable {
        public let id: String
        public let methods: [String]
        public let assurance: String
        public let verdict: String
    }

    init(_ request: OriginalRequest, _ rules: AccessRules, sessions: [SessionVerdict]?) {
        let ruling = rules.ruling(on: request)
        url = request.url.description
        method = request.method
        address = request.address?.description
        path = "/" + request.path.segments.joined(separator: "/")
        self.rules = zip(rules.rules, rules.trace(of: request)).enumerated().map { index, pair in
            Line(
                number: index + 1,
                rule: pair.0.description,
                matches: pair.1.differs == nil,
                differs: pair.1.differs
            )
        }
        rule = ruling.index.map { $0 + 1 }
        (decision, reason) = Self.words(for: ruling)
        self.sessions = sessions
    }

    private static func words(for ruling: AccessRules.Ruling) -> (decision: String, reason: String) {
        guard let index = ruling.index else { return ("nobody", "no rule matches, and what no rule lets in stays out") }
        if ruling.lacksAddress {
            return ("nobody", "rule \(index + 1) turns on where the request comes from, and that isn't known")
        }
        return switch ruling.decision {
        case .anyone: ("anyone", "rule \(index + 1) lets anyone in, without a session")
        case .nobody: ("nobody", "rule \(index + 1) lets nobody in")
        case .require(let requirement): ("require", "rule \(index + 1) asks for \(requirement.description)")
        }
    }
}

extension AccessCheck {
    /// Explains a request, and for an account how each of its live sessions would fare.
    public func explanation(
        of request: OriginalRequest,
        for account: Account?,
        with sessions: [StoredSession],
        now: Timestamp
    ) -> AccessExplanation {
        let rules = rules
        let question = AccessQuestion(request: request, decision: rules.decision(for: request))
        let verdicts = account.map { account in
            sessions.map { session in
                AccessExplanation.SessionVerdict(
                    id: session.id.text,
                    methods: session.methods.map(\.description),
                    assurance: session.assurance.rawValue,
                    verdict: verdict(on: question, session: CachedSession(session: session, account: account), now: now)
                        .description
                )
            }
        }
        return AccessExplanation(request, rules, sessions: verdicts)
    }
}

extension AccessRule.Match {
    fileprivate var differs: String? { if case .no(let part) = self { part.rawValue } else { nil } }
}

extension Verdict: CustomStringConvertible {
    public var description: String {
        switch self {
        case .allow: "passes"
        case .signIn: "has to sign in"
        case .stepUp(let wanted): "has to prove \(wanted.description)"
        case .forbid: "is refused, whatever it proves"
        }
    }
}

extension StepUp: CustomStringConvertible {
    public var description: String {
        Self.words(kinds: kinds, assurance: assurance, maxAge: maxAge).joined(separator: ", ")
    }

    fileprivate static func words(kinds: [CredentialKind], assurance: Assurance?, maxAge: Timestamp.Span?) -> [String] {
        [
            assurance.map { "assurance \($0.rawValue)" },
            kinds.isEmpty ? nil : kinds.map(\.description).joined(separator: " or "),
            maxAge.map { "within \($0.wholeSeconds) s" },
        ].compactMap(\.self)
    }
}

extension Requirement: CustomStringConvertible {
    public var description: String {
        let proof = StepUp.words(kinds: kinds, assurance: assurance, maxAge: authenticatedWithin)
        let group = groups.isEmpty ? [] : ["group \(groups.joined(separator: " or "))"]
        return (proof + group).joined(separator: ", ")
    }
}

extension AccessRule: CustomStringConvertible {
    /// As it stands in the configuration, in one line.
    public var description: String {
        let parts = [
            ("host", [host.description]), ("paths", paths.map(\.description)), ("methods", methods),
            ("networks", networks.map(\.description)), ("query", query.map { "\($0.name): \($0.value ?? "*")" }),
        ]
        let matched = parts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: " "))" }
        let end =
            switch decision {
            case .anyone: "allow: anyone"
            case .nobody: "allow: nobody"
            case .require(let requirement): "require: \(requirement.description)"
            }
        return (matched + [end]).joined(separator: "; ")
    }
}
