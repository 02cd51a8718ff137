import GatehouseKit

extension StorageWriter {
    /// Removes the devices that an account trusts, with the sessions born from them.
    ///
    /// Whoever has lost something, perhaps to someone else, must not be left with keys they don't know of (NIST SP
    /// 800-63B-4 §4.5).
    ///
    /// - Parameter session: What it was opened with stays: that device is in its owner's hand.
    func forgetDevices(
        of account: AccountID,
        except session: StoredSession? = nil,
        because reason: Refusal.Reason,
        address: String?,
        at now: Timestamp
    ) throws -> [TokenDigest] {
        let used = Set(session?.evidence.map(\.credential) ?? [])
        var ended: [TokenDigest] = []
        for device in try credentials(of: account) where device.kind == .trustedDevice && !used.contains(device.id) {
            _ = try delete(device.id)
            ended += try endSessions(.credential(device.id, except: nil))
            try append(
                AuditEvent(
                    at: now,
                    action: .credentialRemoved,
                    account: account,
                    credential: device.id,
                    kind: device.kind,
                    reason: reason.description,
                    address: address
                )
            )
        }
        return ended
    }
}
