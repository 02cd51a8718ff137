import Foundation
import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// A change of one member to a JSON text, or its removal.
struct Edit: CustomTestStringConvertible, Sendable {
    let path: [String]
    let json: String?

    init(_ path: String, _ json: String?) {
        self.path = path.split(separator: ".").map(String.init)
        self.json = json
    }

    var testDescription: String { "\(path.joined(separator: ".")) = \(json ?? "absent")" }

    func apply(to data: Data) throws -> Data {
        let object = try JSONSerialization.jsonObject(with: data)
        return try JSONSerialization.data(withJSONObject: changed(object, path[...]))
    }

    private func changed(_ object: Any, _ path: ArraySlice<String>) throws -> Any {
        guard let name = path.first, var members = object as? [String: Any] else {
            return try JSONSerialization.jsonObject(with: Data((json ?? "null").utf8), options: .fragmentsAllowed)
        }
        let isRemoved = path.count == 1 && json == nil
        members[name] = isRemoved ? nil : try changed(members[name] ?? NSNull(), path.dropFirst())
        return members
    }
}

struct ResponseJSONTests {
    static let tolerated = [
        Edit("response.transports", #"["internal","hybrid","zz-future"]"#), Edit("response.transports", "[]"),
        Edit("response.transports", "null"), Edit("response.transports", nil), Edit("authenticatorAttachment", nil),
        Edit("authenticatorAttachment", "null"), Edit("authenticatorAttachment", #""implanted""#),
        Edit("clientExtensionResults", nil), Edit("clientExtensionResults", #""x""#),
        Edit("clientExtensionResults", #"{"credProps":5,"prf":"x","__proto__":{"a":true}}"#),
        Edit("response.publicKey", #""AAAA""#), Edit("response.publicKeyAlgorithm", "7"),
        Edit("response.authenticatorData", #""AAAA""#), Edit("zz", "[1]"),
    ]

    static let refused = [
        Edit("id", #"["AQ"]"#), Edit("id", "null"), Edit("id", nil), Edit("id", #""AQ""#), Edit("rawId", "null"),
        Edit("rawId", "7"), Edit("rawId", nil), Edit("rawId", #""AQ""#), Edit("type", nil), Edit("type", #""x""#),
        Edit("type", #""Public-Key""#), Edit("type", #"["public-key"]"#), Edit("response", "[]"),
        Edit("response", #""{}""#), Edit("response", "{}"), Edit("response", "null"),
        Edit("response.clientDataJSON", "null"), Edit("response.clientDataJSON", "[123,125]"),
        Edit("response.clientDataJSON", "{}"), Edit("response.clientDataJSON", #""e30=""#),
        Edit("response.clientDataJSON", #""e3\r\n0""#), Edit("response.clientDataJSON", #""e3+/""#),
    ]

    static let refusedInRegistration = [
        Edit("response.transports", "[1]"), Edit("response.transports", #""usb""#), Edit("response.transports", "{}"),
        Edit("response.attestationObject", nil), Edit("response.attestationObject", "1"),
        Edit("response.attestationObject", "[163,99]"),
    ]

    static let refusedInAssertion = [
        Edit("response.authenticatorData", nil), Edit("response.authenticatorData", "null"),
        Edit("response.signature", nil), Edit("response.signature", #""AAA=""#), Edit("response.userHandle", "1"),
        Edit("response.userHandle", "{}"), Edit("response.userHandle", #""AQ==""#),
    ]

    @Test(arguments: tolerated)
    func `a registration with members that don't matter is accepted`(edit: Edit) throws {
        let site = Site()
        let json = try edit.apply(to: site.createJSON())
        let response = try JSONDecoder().decode(RegistrationResponseJSON.self, from: json)
        _ = try site.relyingParty.verifyRegistration(response, expecting: site.registrationExpectation)
    }

    @Test(arguments: refused + refusedInRegistration)
    func `a registration response of another shape is refused`(edit: Edit) throws {
        let json = try Site().createJSON()
        _ = try JSONDecoder().decode(RegistrationResponseJSON.self, from: json)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RegistrationResponseJSON.self, from: edit.apply(to: json))
        }
    }

    @Test(arguments: refused + refusedInAssertion)
    func `an authentication response of another shape is refused`(edit: Edit) throws {
        let site = Site()
        let authenticator = SoftAuthenticator()
        _ = try site.register(authenticator)
        let json = try site.getJSON(authenticator)
        _ = try JSONDecoder().decode(AuthenticationResponseJSON.self, from: json)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AuthenticationResponseJSON.self, from: edit.apply(to: json))
        }
    }

    @Test(arguments: ["=", "==", "\n", "\0", " ", "A"])
    func `an ID with anything after it is refused`(tail: String) throws {
        let alterations = Alterations {
            $0.registration = { answer in
                answer.id += tail
                answer.rawId += tail
            }
        }
        #expect(throws: (any Error).self) { try Site().register(altering: alterations) }
    }

    @Test func `an ID in the classic alphabet is refused`() throws {
        let alterations = Alterations {
            $0.credentialID = { $0 = [0xFF, 0xFF, 0xFF, 0xFB, 0xEF, 0xBE] }
            $0.registration = { answer in
                answer.id = answer.id.replacing("-", with: "+").replacing("_", with: "/")
                answer.rawId = answer.id
            }
        }
        #expect(throws: DecodingError.self) { try Site().register(altering: alterations) }
    }

    @Test func `transports are kept as names, and what is no name is dropped`() throws {
        let long = String(repeating: "u", count: 33)
        let edit = Edit("response.transports", #"["usb","zz-future","usb","","a b","\#(long)","smart-card"]"#)
        let json = try edit.apply(to: Site().createJSON())
        let response = try JSONDecoder().decode(RegistrationResponseJSON.self, from: json)
        #expect(response.transports == ["usb", "zz-future", "smart-card"])
    }

    @Test(
        arguments: [
            (#"{"credProps":{"rk":true}}"#, .discoverable), (#"{"credProps":{"rk":false}}"#, .notDiscoverable),
            (#"{"credProps":{}}"#, .unknown), ("{}", .unknown),
        ] as [(String, Discoverability)]
    )
    func `whether a credential is discoverable has three answers`(results: String, expected: Discoverability) throws {
        let json = try Edit("clientExtensionResults", results).apply(to: Site().createJSON())
        let response = try JSONDecoder().decode(RegistrationResponseJSON.self, from: json)
        #expect(response.discoverability == expected)
    }
}
