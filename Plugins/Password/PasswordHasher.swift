import GatehouseKit

/// Makes and checks stored passwords: at today's cost, with today's pepper, within the memory there is.
public struct PasswordHasher: Sendable {
    private let cost: HashCost
    private let budget: HashingBudget
    private let peppers: [Pepper]

    /// - Parameter peppers: The one for new hashes first; then former ones, whose hashes are made anew when their owners
    ///   sign in.
    public init(
        cost: HashCost = HashCost(),
        budget: HashingBudget = HashingBudget(size: HashCost.ceiling.memory),
        peppers: [Pepper] = []
    ) {
        self.cost = cost
        self.budget = budget
        self.peppers = peppers
    }

    /// The most that a hash may take to be checked, in bytes.
    var memoryLimit: Int { budget.size }

    func hash(_ password: [UInt8]) throws(ProviderFault) -> String {
        let pepper = peppers.first
        let hash = try budget.spend(cost.memory) { () throws(ProviderFault) in
            try Argon2.hash(pepper?.apply(to: password) ?? password, cost: cost)
        }
        return pepper?.mark(hash) ?? hash
    }

    /// - Returns: `nil` if it is damaged, or costs too much.
    /// - Throws: if its pepper isn't known, so that it can't be checked.
    func stored(_ payload: [UInt8]) throws(ProviderFault) -> StoredPassword? {
        let (name, text) = Pepper.split(String(decoding: payload, as: UTF8.self))
        let pepper = peppers.first { $0.name == name }
        guard name == nil || pepper != nil else {
            throw ProviderFault("find the pepper of a stored hash: it is not configured", code: 0, kind: .dependency)
        }
        guard let hash = HashForms.parse(text, within: memoryLimit) else { return nil }
        let isCurrent = name == peppers.first?.name && (hash as? Argon2Hash)?.isOurs(at: cost) ?? false
        return StoredPassword(hash: hash, pepper: pepper, isCurrent: isCurrent)
    }

    /// What looks like a hash of ours, and matches nothing.
    func decoy() -> StoredPassword {
        StoredPassword(hash: Argon2.decoy(cost: cost), pepper: peppers.first, isCurrent: true)
    }

    /// The form that a hash was made of; all of them are tried, so that the time says only how many there are.
    func match(_ forms: [[UInt8]], _ stored: StoredPassword) throws(ProviderFault) -> [UInt8]? {
        var match: [UInt8]?
        for form in forms where try matches(form, stored) { match = match ?? form }
        return match
    }

    private func matches(_ form: [UInt8], _ stored: StoredPassword) throws(ProviderFault) -> Bool {
        try budget.spend(stored.hash.memory) { () throws(ProviderFault) in
            try stored.hash.matches(stored.pepper?.apply(to: form) ?? form)
        }
    }
}

/// A password as it is stored, and what it takes to check it.
struct StoredPassword: Sendable {
    let hash: any StoredHash
    let pepper: Pepper?
    /// Whether it is as we would make it today.
    let isCurrent: Bool
}
