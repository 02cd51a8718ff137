import Foundation
import GatehouseKit
import Testing

@testable import HTTPFront

struct OpenAPITests {
    private struct Document: Decodable {
        let openapi: String
        let paths: [String: [String: Operation]]
        let components: Components

        struct Operation: Decodable { let responses: [String: Response] }
        struct Response: Decodable {}
        struct Components: Decodable { let schemas: [String: Schema] }
        struct Schema: Decodable { let `enum`: [String]? }
    }

    private let document: Document

    init() throws {
        document = try JSONDecoder().decode(Document.self, from: Data(PackageResources.openapi_json))
    }

    @Test func `it describes every route and no other`() throws {
        let described = document.paths.flatMap { path, operations in
            operations.keys.map { "\($0.uppercased()) \(path)" }
        }
        let served = try FrontDesk().responder.table.routes.map { "\($0.method.name) \($0.path)" }
        #expect(Set(described).subtracting(served).isEmpty)
        #expect(Set(served).subtracting(described).isEmpty)
    }

    @Test func `it names every problem code and no other`() {
        let named = Set(document.components.schemas["ProblemCode"]?.enum ?? [])
        #expect(named == Set(ProblemCode.allCases.map(\.rawValue)))
    }

    @Test func `every reference leads somewhere`() throws {
        let text = String(decoding: PackageResources.openapi_json, as: UTF8.self)
        let names = text.matches(of: /#\/components\/schemas\/(\w+)/).map { String($0.1) }
        #expect(Set(names).isSubset(of: document.components.schemas.keys))
        #expect(Set(document.components.schemas.keys).isSubset(of: names))
    }

    @Test func `it is served as JSON`() async throws {
        let answer = try await FrontDesk().get("/openapi.json")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/json")
        #expect(document.openapi == "3.1.0")
    }
}
