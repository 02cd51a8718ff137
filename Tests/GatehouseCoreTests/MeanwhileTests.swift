import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

/// What happens to a credential between its check and the commit, and what outlives a refusal.
struct MeanwhileTests {
    let gateway: Gateway
    let lee: Account
    let badge: StoredCredential

    init() throws {
        gateway = try Gateway()
        lee = try gateway.add("lee")
        try gateway.enrollBadge("7", in: try gateway.session(of: "lee"))
        badge = try #require(try gateway.held(by: lee).first { $0.kind == .passkey })
    }

    private func signIn(_ badge: String, named name: String? = nil) throws -> SignInResult {
        try gateway.complete(try gateway.begin(name, kinds: [.passkey]), "lee", badge, kind: .passkey)
    }

    private func refusal(_ badge: String, named name: String? = nil) throws -> Refusal? {
        do {
            _ = try signIn(badge, named: name)
            return nil
        } catch SignInError.refused(let refusal) { return refusal }
    }

    private func payload() throws -> [UInt8]? {
        try gateway.storage.read { (reader) throws(ProviderFault) in try reader.credential(badge.id)?.record.payload }
    }

    @Test func `a credential that went meanwhile is refused as an unknown one, with what its client has to know`()
        throws
    {
        gateway.badges.meanwhile.set { [gateway, badge] in
            _ = try? gateway.storage.write { try $0.delete(badge.id) }
        }
        #expect(try refusal("7") == BadgeProvider.unknown("7"))
        #expect(try gateway.held(by: lee).map(\.kind) == [.password])
    }

    @Test func `a credential of an account that went meanwhile is unknown too`() throws {
        gateway.badges.meanwhile.set { [gateway, lee] in try? gateway.accounts.delete(lee.id) }
        #expect(try refusal("7") == BadgeProvider.unknown("7"))
    }

    @Test func `under a name a credential that went meanwhile is rejected, and no more is said`() throws {
        gateway.badges.meanwhile.set { [gateway, badge] in
            _ = try? gateway.storage.write { try $0.delete(badge.id) }
        }
        #expect(try refusal("7", named: "lee") == Refusal(.credentialRejected, "no such badge"))
    }

    @Test func `a credential that changed meanwhile is checked against what is stored then`() throws {
        gateway.badges.meanwhile.set { [gateway, badge] in
            let change = CredentialChange(payload: [9], version: badge.record.version, isEssential: true)
            _ = try? gateway.storage.write { try $0.apply(change, to: badge.id) }
        }
        _ = try signIn("7")
        #expect(try payload() == [9, 1])
    }

    /// Changes the credential after each check, until something else is set.
    private func keepChanging() {
        gateway.badges.meanwhile.set { [self] in
            keepChanging()
            _ = try? gateway.storage.write { writer in
                guard let record = try writer.credential(badge.id)?.record else { return false }
                let change = CredentialChange(payload: [9], version: record.version, isEssential: true)
                return try writer.apply(change, to: badge.id)
            }
        }
    }

    @Test func `a credential that keeps changing is an outage, and nobody's failure`() throws {
        keepChanging()
        #expect {
            try signIn("7")
        } throws: { error in
            if case SignInError.unavailable(let fault) = error { fault.kind == .overload } else { false }
        }
        #expect(try gateway.audit(of: lee).first?.action != .signInRefused)
        gateway.badges.meanwhile.set {}
        _ = try signIn("7")
    }

    @Test func `a refusal in the commit is kept with the account that was proved`() throws {
        gateway.badges.meanwhile.set { [gateway, lee] in try? gateway.accounts.setDisabled(true, lee.id) }
        #expect(try refusal("7")?.code == .accountDisabled)
        let event = try #require(try gateway.audit(of: lee).first)
        #expect(event.action == .signInRefused && event.credential == badge.id)
    }

    // MARK: Findings

    @Test func `what a refusal found is kept`() throws {
        let refused = try refusal("7!")
        #expect(refused?.code == .counterRegressed)
        let events = try gateway.audit(of: lee).prefix(2)
        #expect(events.map(\.action) == [.credentialFlagged, .signInRefused])
        #expect(events.allSatisfy { $0.credential == badge.id && $0.code == "counter_regressed" })
        #expect(try payload() == [1])
    }

    @Test func `where another response was first, nothing is found`() throws {
        let ceremony = try gateway.begin(kinds: [.passkey])
        gateway.badges.meanwhile.set { [gateway] in _ = try? gateway.complete(ceremony, "lee", "7", kind: .passkey) }
        #expect {
            try gateway.complete(ceremony, "lee", "7!", kind: .passkey)
        } throws: { error in
            if case SignInError.refused(let refusal) = error { refusal.code == .ceremonyConsumed } else { false }
        }
        let events = try gateway.audit(of: lee)
        #expect(!events.map(\.action).contains(.credentialFlagged) && events.first?.code == "ceremony_consumed")
        #expect(try payload() == [1])
    }

    @Test func `what a refusal under a name found is kept, and not told`() throws {
        #expect(try refusal("7!", named: "lee") == Refusal(.credentialRejected, "a copy"))
        #expect(try gateway.events(of: lee).first == .credentialFlagged)
        #expect(try payload() == [1])
    }

    @Test func `what is taken all the same is written down with the sign-in`() throws {
        _ = try signIn("7")
        #expect(try !gateway.events(of: lee).contains(.credentialFlagged))
        _ = try signIn("7?")
        let events = try gateway.audit(of: lee).prefix(2)
        #expect(events.map(\.action) == [.signedIn, .credentialFlagged])
        #expect(events.last?.credential == badge.id && events.last?.code == "counter_regressed")
    }
}
