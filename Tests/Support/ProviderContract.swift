import FoundationEssentials
public import GatehouseKit
import Wire

/// What every provider keeps to, whatever its kind of credential.
///
/// Each check returns what it found broken, one line a breach, so that a test is `#expect(contract.… == [])`. The checks
/// need one credential that is good in one ceremony; they alter it, take its account or the storage away, and look at
/// what the provider says.
public struct ProviderContract<Provider: CredentialProvider>: Sendable {
    /// One credential presented in one ceremony.
    public struct Attempt: Sendable {
        public let name: String
        /// The object that stands as `credential` in a sign-in request.
        public let credential: JSONValue
        public let draft: CeremonyDraft

        public init(_ name: String, _ credential: JSONValue, in draft: CeremonyDraft) {
            self.name = name
            self.credential = credential
            self.draft = draft
        }
    }

    let provider: Provider
    /// The vault that the provider reads.
    let vault: MemoryVault
    let good: Attempt
    let sealed: [SealedMember]
    /// What the provider logged so far.
    let logged: @Sendable () -> [String]

    /// - Parameters:
    ///   - good: A credential that is accepted, any number of times, as long as nothing it changes is stored.
    ///   - sealed: The members of which no bit may change. The others may, where nothing depends on them.
    public init(
        _ provider: Provider,
        vault: MemoryVault,
        good: Attempt,
        sealed: [SealedMember],
        logged: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.provider = provider
        self.vault = vault
        self.good = good
        self.sealed = sealed
        self.logged = logged
    }

    /// What became of an attempt.
    enum Verdict {
        case accepted(Evidence)
        /// Refused by the decoders that stand before every provider, or by the provider.
        case refused(ProblemCode, text: String)
        case unavailable(ProviderFault)

        var code: ProblemCode? {
            guard case .refused(let code, _) = self else { return nil }
            return code
        }
    }

    /// Presents a credential the way the gateway does: strict JSON first, then the type, then the provider.
    func verdict(on json: Data, in draft: CeremonyDraft) -> Verdict {
        let credential: Provider.Credential
        do {
            try StrictJSON.check([UInt8](json))
            credential = try JSONDecoder().decode(Provider.Credential.self, from: json)
        } catch { return .refused(.malformedCredential, text: "") }
        do throws(SignInError) {
            return .accepted(try provider.verify(credential, ceremony: draft.ceremony))
        } catch {
            switch error {
            case .refused(let refusal):
                return .refused(refusal.code, text: "\(error) \(refusal.reason) \(String(reflecting: error))")
            case .unavailable(let fault): return .unavailable(fault)
            }
        }
    }

    func verdict(on attempt: Attempt) -> Verdict {
        guard let json = try? attempt.credential.encoded else { return .refused(.malformedJSON, text: "") }
        return verdict(on: json, in: attempt.draft)
    }
}

// MARK: - The checks

extension ProviderContract {
    /// All attempts are refused, and with one code: what is unknown looks like what is wrong.
    public func toldApart(_ attempts: [Attempt]) -> [String] {
        let verdicts = attempts.map { ($0.name, verdict(on: $0)) }
        let codes = Set(verdicts.compactMap { $0.1.code })
        let passed = verdicts.filter { $0.1.code == nil }.map { "\($0.0) is not refused: \($0.1)" }
        guard codes.count > 1 else { return passed }
        return passed + verdicts.map { "\($0.0): \($0.1.code?.rawValue ?? "no refusal")" }
    }

    /// Altered credentials prove nothing new.
    ///
    /// - The JSON cut off anywhere is refused.
    /// - The JSON with any one bit turned is refused, or proves exactly what the good credential proves: some bits stand
    ///   in members that nothing depends on.
    /// - A sealed member with any one bit turned, or cut off anywhere, is refused.
    ///
    /// No alteration is taken for an outage, and none stops the process.
    public func acceptedAlterations() throws -> [String] {
        guard case .accepted(let evidence) = verdict(on: good) else { return ["the good credential is not accepted"] }
        let json = [UInt8](try good.credential.encoded)
        return json.truncations.compactMap { breach(by: Data($0), allowing: nil) }
            + json.bitFlips.compactMap { breach(by: Data($0), allowing: evidence) }
            + sealed.flatMap { member in
                member.alterations(of: good.credential).compactMap { altered in
                    (try? altered.encoded).flatMap { breach(by: $0, allowing: nil) }
                }
            }
    }

    private func breach(by json: Data, allowing allowed: Evidence?) -> String? {
        switch verdict(on: json, in: good.draft) {
        case .refused: return nil
        case .accepted(let evidence) where allowed.map { evidence.proves(asMuchAs: $0) } ?? false: return nil
        case .accepted: return "accepted: \(String(decoding: json, as: UTF8.self))"
        case .unavailable(let fault): return "\(fault.operation) for \(String(decoding: json, as: UTF8.self))"
        }
    }

    /// A vault that fails, at whichever of the reads, is an outage: never a refusal, and never a way in.
    public func misreportedOutages(in attempts: [Attempt] = []) -> [String] {
        ([good] + attempts).flatMap { attempt in
            let before = vault.reads
            _ = verdict(on: attempt)
            return (0..<vault.reads - before).compactMap { misreport(of: attempt, afterReads: $0) }
        }
    }

    private func misreport(of attempt: Attempt, afterReads count: Int) -> String? {
        vault.readsLeft = count
        defer { vault.readsLeft = nil }
        let verdict = verdict(on: attempt)
        if case .unavailable(MemoryVault.fault) = verdict { return nil }
        return "\(attempt.name), the vault failing after \(count) reads: \(verdict)"
    }

    /// No error and no log line holds a secret member, in any of the forms that bytes are printed in.
    ///
    /// - Parameter attempts: Credentials that are refused.
    public func leaks(in attempts: [Attempt]) -> [String] {
        attempts.flatMap { attempt in
            guard case .refused(_, let text) = verdict(on: attempt) else { return ["\(attempt.name) is not refused"] }
            let secrets = sealed.filter(\.isSecret).map { $0.bytes(in: attempt.credential) }.filter { !$0.isEmpty }
            let lines = [text] + logged()
            return secrets.flatMap(Self.prints).filter { print in lines.contains { $0.contains(print) } }
                .map { "\(attempt.name): \($0)" }
        }
    }

    private static func prints(of bytes: [UInt8]) -> [String] {
        let encoded = Base64URL(bytes: bytes)
        return [
            String(decoding: bytes, as: UTF8.self), encoded.text, encoded.standardText, "\(bytes)",
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
        ]
    }
}

extension Evidence {
    fileprivate func proves(asMuchAs other: Evidence) -> Bool {
        account == other.account && credential == other.credential && proof == other.proof
    }
}
