import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

/// A credential that takes another's place.
struct ReplacementTests {
    let gateway: Gateway
    let lee: Account
    let session: CachedSession

    init() throws {
        gateway = try Gateway()
        lee = try gateway.add("lee")
        session = try gateway.session(of: "lee")
        try gateway.enrollBadge("7", in: session)
    }

    private func badges(of account: Account) throws -> [[UInt8]] {
        try gateway.held(by: account).filter { $0.kind == .passkey }.map(\.record.key)
    }

    @Test func `it is stored as the other goes, with the sessions of that`() throws {
        let born = try gateway.complete(try gateway.begin(kinds: [.passkey]), "lee", "7", kind: .passkey)
        #expect(try gateway.enrollBadge("8<7", in: session).hasReplaced)
        #expect(try badges(of: lee) == [Array("8".utf8)])
        #expect(try gateway.events(of: lee).contains(.credentialReplaced))
        let sessions = try gateway.storage.read { (reader) throws(ProviderFault) in
            try reader.sessions(of: lee.id, at: gateway.clock.now).map(\.id)
        }
        #expect(sessions == [session.session.id] && sessions != [born.issued.session.id])
        #expect(try !gateway.enrollBadge("9", in: session).hasReplaced)
    }

    @Test func `it is not stored when the other went meanwhile`() throws {
        let badge = try #require(try gateway.held(by: lee).first { $0.kind == .passkey })
        gateway.badges.meanwhile.set { [gateway] in _ = try? gateway.storage.write { try $0.delete(badge.id) } }
        #expect(refusal { try gateway.enrollBadge("8<7", in: session) } == .credentialUnknown)
        #expect(try badges(of: lee) == [])
    }

    @Test func `it takes no place of another account`() throws {
        let kim = try gateway.add("kim")
        #expect(refusal { try gateway.enrollBadge("8<7", in: try gateway.session(of: "kim")) } == .credentialUnknown)
        #expect(try badges(of: kim) == [] && badges(of: lee) == [Array("7".utf8)])
    }
}
