import Foundation
import GatehouseCore
import GatehouseKit
import GatehouseTesting
import Storage
import Testing

extension CredentialKind {
    static let slip = CredentialKind("slip")
}

/// Getting back in with a slip of paper.
struct SlipProvider: CredentialProvider {
    let kind = CredentialKind.slip
    static let purpose = CredentialPurpose.recovery
    let vault: any CredentialVault

    struct Credential: Decodable, Sendable { let word: String }

    func verify(_ credential: Credential, ceremony: borrowing Ceremony) throws(SignInError) -> Evidence {
        let record: CredentialRecord?
        do throws(ProviderFault) { record = try vault.record(key: Array(credential.word.utf8)) } catch {
            throw .unavailable(error)
        }
        guard let record, record.payload.isEmpty else {
            throw .refused(Refusal(.credentialRejected, "no such slip, or used"))
        }
        let change = CredentialChange(payload: [1], version: record.version, isEssential: true)
        return Evidence(
            account: record.account,
            credential: record.id,
            proof: Proof(factors: .possession),
            change: change
        )
    }
}

struct RecoveryTests {
    private let gateway: Gateway
    private let lee: Account

    init() throws {
        gateway = try Gateway()
        lee = try gateway.add("lee")
        let slip = NewCredential(key: Array("paper".utf8), payload: [], name: nil, proof: Proof(factors: .possession))
        let now = gateway.clock.now
        let stored = StoredCredential.enrolled(slip, kind: .slip, of: lee.id, at: now, settlesAt: now)
        _ = try gateway.storage.write { writer in try writer.insert(stored) }
    }

    private func recover() throws -> SignInResult {
        try gateway.complete(try gateway.begin(kinds: [.slip]), "", "paper", kind: .slip)
    }

    private func session(_ result: SignInResult) -> CachedSession {
        CachedSession(session: result.issued.session, account: result.account)
    }

    @Test func `a recovery opens a session that may enrol and nothing else, once`() throws {
        let recovered = try recover()
        #expect(recovered.issued.session.scope == .enrollment)
        #expect(recovered.offer == nil)
        #expect(refusal { _ = try recover() } == .credentialRejected)
        let enrolled = try gateway.enrollBadge("7", in: session(recovered))
        #expect(enrolled.issued?.session.scope == .full)
    }

    @Test func `it steps nothing up`() throws {
        let full = try gateway.session(of: "lee")
        #expect(
            refusal {
                _ = try gateway.begin(kinds: [.slip], stepUp: StepUp(), in: full)
            } == .unknownKind
        )
        #expect(
            refusal { _ = try gateway.begin(stepUp: StepUp(kinds: [.slip]), in: full) } == .stepUpImpossible
        )
        // The positive control: the word does.
        _ = try gateway.begin(kinds: [.password], stepUp: StepUp(), in: full)
    }

    @Test func `it is no credential that an account can be left with`() throws {
        let full = try gateway.session(of: "lee")
        #expect(refusal { try gateway.credentials.removeSecret(in: full) } == .lastCredential)
        try gateway.enrollBadge("7", in: full)
        try gateway.credentials.removeSecret(in: full)
    }

    @Test func `what it enrols raises no bar before it has settled`() throws {
        try gateway.enrollBadge("7", in: session(try recover()))
        let planted = try #require(try gateway.held(by: lee).first { $0.kind == .passkey })
        #expect(planted.settlesAt == gateway.clock.now + SessionPolicy().settling)
        let link = try gateway.links.issueRecovery(for: lee.id)
        let opened = try gateway.links.redeemRecovery(link, from: .test)
        try gateway.enrollBadge("8", in: CachedSession(session: opened.issued.session, account: opened.account))
        let own = try #require(try gateway.held(by: lee).first { $0.record.key == Array("8".utf8) })
        #expect(own.settlesAt == gateway.clock.now)
    }
}
