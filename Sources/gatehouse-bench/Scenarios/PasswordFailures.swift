import Foundation

/// Whether the time of a refusal tells anything: the fastest median over the slowest, of a wrong password, an unknown name,
/// a disabled account and an account without a password.
struct PasswordFailures: Scenario {
    let name = "password-failures-alike"
    let budget = 0.90

    func run() throws -> Double {
        let site = try Site(withNginx: false)
        try site.addAccount("wrong")
        try site.addAccount("disabled")
        try site.command(["account", "disable", "disabled"])
        try site.command(["account", "add", "without", "--no-password"])
        let connection = try Connection(port: site.publicPort)
        let names = ["wrong", "unknown", "disabled", "without"]
        var times: [String: [Duration]] = [:]
        for round in 0..<45 {
            for name in names.shuffled() {
                let word = name == "disabled" ? Site.password : "wrong horse battery staple"
                let time = try refusal(of: name, word, connection)
                if round >= 5 { times[name, default: []].append(time) }
            }
        }
        let medians = times.values.map { $0.sorted()[$0.count / 2] / .nanoseconds(1) }
        guard let least = medians.min(), let most = medians.max() else { throw ScenarioFault(reason: "no rounds") }
        return least / most
    }

    private func refusal(of name: String, _ word: String, _ connection: Connection) throws -> Duration {
        struct Begun: Decodable { let ceremonyId: String }
        let begun = try connection.post("/sign-in/options", Data("{}".utf8))
        let ceremony = try JSONDecoder().decode(Begun.self, from: begun.body).ceremonyId
        let credential = #"{"kind":"password","identifier":"\#(name)","password":"\#(word)"}"#
        let body = Data(#"{"ceremonyId":"\#(ceremony)","credential":\#(credential)}"#.utf8)
        return try ContinuousClock().measure {
            let status = try connection.post("/sign-in/verify", body).status
            guard status == 401 else { throw ScenarioFault(reason: "\(name) was answered \(status)") }
        }
    }
}
