public import GatehouseKit

extension SessionPolicy {
    /// Judges a machine's credential against a rule.
    ///
    /// Only a rule that names the kind takes it, in place of the kinds, the assurance and the age that it asks of people;
    /// groups hold for both. A token was made by somebody who had proved all that. What proves one factor with every
    /// request proves no more by being named, and is nothing for whom policy asks for more.
    public func evaluate(
        _ machine: MachineCaller,
        on request: OriginalRequest,
        requirement: Requirement,
        now: Timestamp
    ) -> Verdict {
        guard requirement.machines.contains(machine.kind), isEnough(machine), now < machine.expiresAt else {
            return .signIn
        }
        guard machine.scope?.covers(request) ?? true else { return .forbid }
        guard requirement.groups.isEmpty || requirement.groups.contains(where: machine.account.groups.contains) else {
            return .forbid
        }
        guard machine.kind == .accessToken || requirement.isMetByOneFactor else { return .stepUp(requirement.stepUp) }
        return .allow
    }

    private func isEnough(_ machine: MachineCaller) -> Bool {
        machine.kind == .accessToken || minimum.level(for: machine.account.groups) == .aal1
    }
}

extension Requirement {
    /// Whether any one factor will do.
    public var isMetByOneFactor: Bool { kinds.isEmpty && assurance == .aal1 && authenticatedWithin == nil }
}

extension AccessQuestion {
    /// The kinds of credentials that the request may carry in place of a session; none of another kind is looked at.
    public var machines: [CredentialKind] {
        guard case .require(let requirement) = decision else { return [] }
        return requirement.machines
    }
}

extension AccessCheck {
    public func verdict(on question: AccessQuestion, machine: MachineCaller, now: Timestamp) -> Verdict {
        switch question.decision {
        case .nobody: .forbid
        case .anyone: .allow
        case .require(let requirement):
            policy.evaluate(machine, on: question.request, requirement: requirement, now: now)
        }
    }
}

extension AccessRules {
    /// Whether any rule that takes a kind from machines could match a host that the pattern matches.
    public func takes(_ kind: CredentialKind, at pattern: HostPattern) -> Bool {
        rules.contains { rule in
            guard case .require(let requirement) = rule.decision, requirement.machines.contains(kind) else {
                return false
            }
            return rule.host == pattern || !rule.host.isWildcard && pattern.matches(rule.host.name)
                || !pattern.isWildcard && rule.host.matches(pattern.name)
        }
    }
}
