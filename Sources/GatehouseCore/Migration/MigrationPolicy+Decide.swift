public import GatehouseKit

/// What a password alone is good for.
public enum PasswordStanding: Equatable, Sendable {
    case free
    /// It lets in, for one of the last times.
    case grace(left: Int)
    /// It lets in to enrol a passkey and for nothing else.
    case enrollOnly
}

/// How an account is asked for a passkey.
public struct OfferDecision: Equatable, Sendable {
    public let mode: StoredOffer.Mode
    /// From when on a password alone won't do.
    public let deadline: Timestamp?
}

/// The sign-in after which an account may be asked.
public struct MigrationOccasion: Equatable, Sendable {
    public let kind: CredentialKind
    /// Whether the passkey was on another device than the one that is now signed in.
    public let isFromOtherDevice: Bool

    public init(_ kind: CredentialKind, isFromOtherDevice: Bool = false) {
        self.kind = kind
        self.isFromOtherDevice = isFromOtherDevice
    }
}

/// Pure: the time is an argument, and nothing is read or written.
extension MigrationPolicy {
    public func standing(_ facts: MigrationFacts, now: Timestamp) -> PasswordStanding {
        guard offering != .off, facts.passkeys == 0, facts.isDue(at: now) else { return .free }
        return facts.graceLeft > 0 ? .grace(left: facts.graceLeft - 1) : .enrollOnly
    }

    /// Decides whether a sign-in is followed by an offer.
    public func offer(_ facts: MigrationFacts, after occasion: MigrationOccasion, now: Timestamp) -> OfferDecision? {
        guard offering != .off, facts.setting.stage >= .offer, isOccasion(occasion, facts) else { return nil }
        let isRequired = facts.passkeys == 0 && facts.isDue(at: now)
        guard !isPaused(facts, now), isRequired || isTime(facts, now) else { return nil }
        let isPressing = facts.setting.stage >= .encourage && facts.passkeys == 0 && !facts.isExempt
        return OfferDecision(
            mode: isRequired ? .required : mode(facts),
            deadline: isPressing ? facts.setting.deadline : nil
        )
    }

    private func isOccasion(_ occasion: MigrationOccasion, _ facts: MigrationFacts) -> Bool {
        switch occasion.kind {
        case .password: facts.passkeys == 0
        case .passkey: occasion.isFromOtherDevice
        default: false
        }
    }

    private func isPaused(_ facts: MigrationFacts, _ now: Timestamp) -> Bool {
        facts.asks.contains { $0.mode != .automatic && $0.answer == .unsupported && now < $0.madeAt + cadence.pause }
    }

    private func isTime(_ facts: MigrationFacts, _ now: Timestamp) -> Bool {
        let asks = facts.asks.filter(counts)
        guard let last = asks.first else { return true }
        guard facts.setting.stage < .encourage || facts.isExempt || facts.passkeys > 0 else {
            return last.madeAt + cadence.reminder <= now
        }
        guard asks.count < cadence.asks, last.answer != .declined else { return false }
        let doublings = min(asks.count - 1, 8)
        return last.madeAt + Timestamp.Span(milliseconds: cadence.cooldown.milliseconds << Int64(doublings)) <= now
    }

    /// Whether somebody was asked, and not only their browser.
    private func counts(_ ask: StoredOffer) -> Bool {
        guard ask.mode == .automatic, cadence.asksAfterAutomatic else { return true }
        return ask.answer != .failed && ask.answer != .unsupported
    }

    /// Once without asking; where that came to nothing, by asking.
    private func mode(_ facts: MigrationFacts) -> StoredOffer.Mode {
        guard offering == .automatic, facts.passkeys == 0 else { return .prompt }
        return facts.asks.contains { $0.mode == .automatic } ? .prompt : .automatic
    }
}
