import GatehouseCore
import GatehouseKit
import Glibc

/// What an import says: a line for each record that is not simply imported, the counts, and how far it is.
struct ImportReport {
    private let isDryRun: Bool
    private let isJSON: Bool
    private var tally = Tally()
    private let hasTerminal = isatty(STDERR_FILENO) == 1
    private var announced = 0

    /// How many records pass between two lines about progress where there is no terminal.
    private static let announcementInterval = 10_000
    private static let barWidth = 30

    init(isDryRun: Bool, isJSON: Bool) {
        self.isDryRun = isDryRun
        self.isJSON = isJSON
    }

    /// What to end with if a record was refused.
    var complaint: String? {
        let others = isDryRun ? "would be" : "were"
        return tally.refused == 0 ? nil : "records refused: \(tally.refused); all others \(others) taken"
    }

    mutating func add(_ records: [ImportedRecord], progress: Double) {
        guard !records.isEmpty else { return }
        if hasTerminal { writeError("\r\u{1B}[K", terminator: "") }
        for record in records {
            tally.add(record.outcome)
            if let line = line(record) { print(line) }
        }
        fflush(nil)
        announce(progress)
    }

    private mutating func announce(_ progress: Double) {
        if hasTerminal {
            let done = Int(progress * Double(Self.barWidth))
            let bar = String(repeating: "#", count: done) + String(repeating: ".", count: Self.barWidth - done)
            writeError("[\(bar)] \(tally.total) records", terminator: "")
        } else if tally.total / Self.announcementInterval > announced {
            announced = tally.total / Self.announcementInterval
            writeError("\(tally.total) records")
        }
    }

    func finish() {
        if hasTerminal { writeError("\r\u{1B}[K", terminator: "") }
        print(isJSON ? Gatehouse.json(["summary": Summary(tally, isDryRun)]) : text)
    }

    private func line(_ record: ImportedRecord) -> String? {
        if case .imported = record.outcome, !isDryRun { return nil }
        let line = RecordLine(record, isDryRun: isDryRun)
        return isJSON ? Gatehouse.json(line) : line.text
    }

    private var text: String {
        let imported = "\(tally.imported) \(isDryRun ? "would be imported" : "imported")"
        let without = tally.withoutSecret == 0 ? "" : " (\(tally.withoutSecret) of them without a password)"
        let reasons = tally.reasons.sorted { $0.key < $1.key }.map { "\n  \($0.value) refused: \($0.key)" }
        return "\(imported)\(without), \(tally.existing) already there, \(tally.refused) refused." + reasons.joined()
    }
}

/// How many records came to what.
private struct Tally {
    var imported = 0
    var withoutSecret = 0
    var existing = 0
    var reasons: [String: Int] = [:]

    var refused: Int { reasons.values.reduce(0, +) }
    var total: Int { imported + existing + refused }

    mutating func add(_ outcome: ImportedRecord.Outcome) {
        switch outcome {
        case .imported(let hasSecret):
            imported += 1
            withoutSecret += hasSecret ? 0 : 1
        case .existing: existing += 1
        case .refused(let reason): reasons[reason.description, default: 0] += 1
        }
    }
}

private struct Summary: Encodable {
    let imported: Int
    let withoutPassword: Int
    let existing: Int
    let refused: Int
    let reasons: [String: Int]
    let dryRun: Bool

    init(_ tally: Tally, _ isDryRun: Bool) {
        imported = tally.imported
        withoutPassword = tally.withoutSecret
        existing = tally.existing
        refused = tally.refused
        reasons = tally.reasons
        dryRun = isDryRun
    }
}

/// A record in the report.
private struct RecordLine: Encodable {
    let line: Int?
    /// Counted from 1, in formats that have no lines.
    let record: Int?
    let username: String?
    let outcome: String
    let reason: String?
    private let place: ForeignRecord.Place

    private enum CodingKeys: CodingKey { case line, record, username, outcome, reason }

    init(_ record: ImportedRecord, isDryRun: Bool) {
        place = record.place
        switch record.place {
        case .line(let number): (line, self.record) = (number, nil)
        case .record(let number): (line, self.record) = (nil, number)
        }
        username = record.username
        switch record.outcome {
        case .imported(let hasSecret): (outcome, reason) = ("imported", hasSecret ? nil : "without a password")
        case .existing: (outcome, reason) = ("existing", nil)
        case .refused(let refusal): (outcome, reason) = ("refused", refusal.description)
        }
    }

    var text: String {
        let words = ["imported": "would be imported", "existing": "already there"][outcome] ?? outcome
        return "\(place): \(username.map { "\($0): " } ?? "")\(words)\(reason.map { ": \($0)" } ?? "")"
    }
}
