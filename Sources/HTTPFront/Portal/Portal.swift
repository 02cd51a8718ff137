import Wire

/// The pages that people see, served from the binary.
struct Portal: Sendable {
    let settings: FrontSettings

    var routes: [Route] {
        [.immediate(.get, "/") { [settings] _ in Self.redirect("\(settings.publicOrigin)/account") }]
    }

    private static func redirect(_ location: String) -> HTTPResponse {
        HTTPResponse(302, headers: [("Location", location), ("Cache-Control", "no-store")])
    }
}
