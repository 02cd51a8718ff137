/// One thing measured beside a reference that does the least such work can take.
///
/// Only ratios of one run are compared: both sides see the same machine in the same minute.
protocol Scenario: Sendable {
    /// The name on the command line and in the table.
    var name: String { get }

    /// The least ratio that passes: 1 is as fast as the reference.
    var budget: Double { get }

    /// Measures; throws where it can't be set up or doesn't do what it should.
    func run() throws -> Double

    /// What else was counted, for the end of the row.
    func remark() throws -> String
}

extension Scenario {
    func remark() -> String { "" }
}

/// A scenario that could not be measured.
struct ScenarioFault: Error {
    let reason: String
}
