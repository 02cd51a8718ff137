/// `/openapi.json`: the interface, described for machines (OpenAPI 3.1).
enum OpenAPIDocument {
    static var routes: [Route] {
        let body = HTTPBody.shared(StaticBytes(keeping: PackageResources.openapi_json))
        return [
            .immediate(.get, "/openapi.json") { _ in
                HTTPResponse(
                    200,
                    headers: [("Content-Type", "application/json"), ("Cache-Control", "public, max-age=300")],
                    body: body
                )
            }
        ]
    }
}
