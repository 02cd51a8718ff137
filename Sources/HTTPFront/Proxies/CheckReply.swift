import GatehouseCore
import GatehouseKit
import Wire

/// The parts that answers to a check are made of.
enum CheckReply {
    static let noStore = ("Cache-Control", "no-store")

    /// Every identity header, always: one that isn't sent could be forged.
    ///
    /// And what the proxy puts in the place of what the request carried.
    static func yes(to caller: Caller?, token: String, _ visible: VisibleCredentials) -> [(String, String)] {
        let account = caller?.account
        var headers = [
            noStore,
            ("Remote-User", account?.username ?? ""),
            ("Remote-Name", account?.displayName ?? ""),
            ("Remote-Email", account?.email ?? ""),
            ("Remote-Groups", caller?.groupList ?? ""),
            ("Remote-Assurance", caller?.assurance.rawValue ?? ""),
            ("Remote-Methods", caller?.methodList ?? ""),
            ("Remote-Token", token),
            (MachineCredential.tokenHeader.description, ""),
            ("Cookie", visible.cookies),
        ]
        if let authorization = visible.authorization { headers.append(("Authorization", authorization)) }
        return headers
    }

    /// What to prove, in the words of RFC 9470 §3 where something is missing from a session.
    static func challenge(_ wanted: StepUp?) -> String {
        guard let wanted else { return "Bearer" }
        var parts = ["error=\"insufficient_user_authentication\""]
        if let assurance = wanted.assurance { parts.append("acr_values=\"\(assurance.rawValue)\"") }
        if let age = wanted.maxAge { parts.append("max_age=\"\(age.wholeSeconds)\"") }
        return "Bearer " + parts.joined(separator: ", ")
    }

    /// A name and a password, in UTF-8 (RFC 7617 §2.1).
    static func basicChallenge(_ origin: WebOrigin) -> String { "Basic realm=\"\(origin.host)\", charset=\"UTF-8\"" }

    static func query(returningTo url: WebURL, _ wanted: StepUp?) -> String {
        var query = "?return_to=" + PercentEncoding.component(url.description)
        guard let wanted else { return query }
        if let assurance = wanted.assurance { query += "&assurance=\(assurance.rawValue)" }
        if !wanted.kinds.isEmpty { query += "&kinds=" + wanted.kinds.map(\.description).joined(separator: ",") }
        if let age = wanted.maxAge { query += "&max_age=\(age.wholeSeconds)" }
        return query
    }

    /// Whether a person is looking at it: a page that is loaded, not a script, a socket or an image.
    ///
    /// A proxy may send an empty header for one that the visitor did not send.
    static func isNavigation(_ request: HTTPRequest) -> Bool {
        for name: StaticString in ["Upgrade", "X-Requested-With"] {
            guard request.header(name) == .absent || request.header(name) == .one("") else { return false }
        }
        switch request.header("Sec-Fetch-Mode") {
        case .absent, .one(""), .one("navigate"): break
        default: return false
        }
        guard case .one(let accepted) = request.header("Accept") else { return false }
        return accepted.contains("text/html")
    }
}
