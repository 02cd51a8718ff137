import Crypto
import FoundationEssentials

/// One model of authenticators, as the FIDO Metadata Service describes it (v3.0 of 2021-05-18, §3.1.1).
public struct AuthenticatorModel: Sendable {
    /// For people, in English.
    public let name: String
    /// A picture of at most 32 KiB, as a `data:` URL of type PNG or SVG; `nil` without one.
    public let icon: String?
    /// Everything that was ever reported of the model, in no order.
    public let reports: [StatusReport]
    /// The certificates that its attestations lead to, in DER; not parsed, as hardly any is ever asked for.
    let roots: [[UInt8]]

    public struct StatusReport: Equatable, Sendable {
        public let status: AuthenticatorStatus
        /// Midnight UTC of the day it took effect, in seconds since 1970; `nil` if the report doesn't say.
        public let effective: Int64?
    }

    /// Those of its roots that can be read.
    var anchors: TrustAnchors { TrustAnchors(roots.compactMap { try? Certificate(der: $0) }) }

    /// The certification that the newest report on it gives; `nil` for none.
    ///
    /// A later report of a lower level counts, since nobody can tell the version of an authenticator.
    ///
    /// - Parameter time: In seconds since 1970; reports on later days don't count yet.
    public func certification(at time: Int64) -> CertificationLevel? {
        let certifications = reports.filter { $0.status.isCertification && ($0.effective ?? 0) <= time }
        let newest = certifications.map { $0.effective ?? 0 }.max()
        return certifications.filter { ($0.effective ?? 0) == newest }.compactMap(\.status.certification).max()
    }
}

extension AuthenticatorModel.StatusReport {
    /// - Returns: `nil` for a day that isn't one.
    init?(status: String, effectiveDate: String?) {
        guard let effectiveDate else {
            self.init(status: AuthenticatorStatus(rawValue: status), effective: nil)
            return
        }
        guard let day = Day.start(of: effectiveDate) else { return nil }
        self.init(status: AuthenticatorStatus(rawValue: status), effective: day)
    }
}

/// Days as the metadata writes them: `2026-07-30`.
enum Day {
    /// - Returns: Midnight UTC, in seconds since 1970.
    static func start(of text: String) -> Int64? {
        let form = Date.ISO8601FormatStyle.iso8601.year().month().day()
        // Days past the end of a month are counted on into the next one; written again, they differ.
        guard text.utf8.count == 10, let date = try? Date(text, strategy: form), date.formatted(form) == text else {
            return nil
        }
        return Int64(date.timeIntervalSince1970)
    }
}
