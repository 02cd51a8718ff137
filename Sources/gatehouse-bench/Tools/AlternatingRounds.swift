/// Two pieces of work measured in turns, so that a change of the machine's mood strikes both.
struct AlternatingRounds {
    var rounds = 31
    var repetitionsPerRound = 200

    /// How fast `ours` is beside `reference`: the ratio of the medians over all rounds.
    func ratio(of ours: () throws -> Void, to reference: () throws -> Void) throws -> Double {
        try repeated(ours)
        try repeated(reference)
        var oursTimes: [Duration] = []
        var referenceTimes: [Duration] = []
        for _ in 0..<rounds {
            referenceTimes.append(try time(reference))
            oursTimes.append(try time(ours))
        }
        return try median(referenceTimes) / median(oursTimes)
    }

    private func time(_ work: () throws -> Void) throws -> Duration {
        try ContinuousClock().measure { try repeated(work) }
    }

    private func repeated(_ work: () throws -> Void) throws {
        for _ in 0..<repetitionsPerRound { try work() }
    }

    private func median(_ times: [Duration]) throws -> Double {
        guard !times.isEmpty else { throw ScenarioFault(reason: "no rounds") }
        return times.sorted()[times.count / 2] / .nanoseconds(1)
    }
}
