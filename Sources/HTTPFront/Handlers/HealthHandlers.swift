import GatehouseCore
import GatehouseKit

/// `/healthz` says that the process is up, `/readyz` that storage answers.
struct HealthHandlers: Sendable {
    let storage: any Storage

    var routes: [Route] {
        [
            .immediate(.get, "/healthz") { _ in JSONReply.ok(["status": "ok"]) },
            .job(.get, "/readyz") { (_) throws(SignInError) in
                try storage.checkReady()
                return JSONReply.ok(["status": "ready"])
            },
        ]
    }
}

extension Storage {
    /// Reads something.
    func checkReady() throws(SignInError) {
        _ = try look { (reader) throws(ProviderFault) in try reader.setting(.relyingPartyID) }
    }
}
