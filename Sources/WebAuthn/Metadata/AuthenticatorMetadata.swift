import Synchronization

/// The newest metadata there is, shared by all who ask.
public final class AuthenticatorMetadata: Sendable {
    /// A model with one of these among its reports is not trusted, whatever was reported since.
    public let refusedStatuses: Set<AuthenticatorStatus>

    private let blob: Mutex<MetadataBLOB?>

    public init(
        _ blob: MetadataBLOB? = nil,
        refusing statuses: Set<AuthenticatorStatus> = AuthenticatorStatus.compromised
    ) {
        self.blob = Mutex(blob)
        refusedStatuses = statuses
    }

    /// `nil` as long as there is none.
    public var current: MetadataBLOB? { blob.withLock { $0 } }

    /// Takes an issue in place of the one before.
    ///
    /// - Throws: ``MetadataFault/older(than:)`` if it isn't newer, nor the same: an old issue may lack a report that made a
    ///   model untrusted (§3.2).
    public func replace(with issue: MetadataBLOB) throws(MetadataFault) {
        let known = blob.withLock { current in
            if let number = current?.number, issue.number < number { return Optional(number) }
            current = issue
            return nil
        }
        if let known { throw .older(than: known) }
    }

    /// A report that makes the model untrusted; `nil` if there is none.
    public func refusedStatus(of model: AuthenticatorModel) -> AuthenticatorStatus? {
        model.reports.lazy.map(\.status).first(where: refusedStatuses.contains)
    }
}
