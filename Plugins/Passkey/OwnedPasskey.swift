import GatehouseKit
import WebAuthn

/// A stored passkey, decoded, with the user handle of its account.
struct OwnedPasskey {
    let record: GatehouseKit.CredentialRecord
    let passkey: WebAuthn.CredentialRecord
    let userHandle: [UInt8]

    init(_ record: GatehouseKit.CredentialRecord, of account: AccountReference) throws(ProviderFault) {
        self.record = record
        passkey = try PasskeyPayload.decode(record.payload)
        userHandle = account.userHandle
    }

    /// What has to be stored after a sign-in.
    ///
    /// - Returns: `nil` where nothing changed, as with synced passkeys, which don't count: two sign-ins at once then
    ///   don't get into each other's way. A counter that rose has to be stored; a backup state will be seen again.
    func change(to updated: WebAuthn.CredentialRecord) throws(ProviderFault) -> CredentialChange? {
        guard updated != passkey else { return nil }
        return CredentialChange(
            payload: try PasskeyPayload.encode(updated),
            version: record.version,
            isEssential: updated.signCount != passkey.signCount
        )
    }

    /// What stays of a response that was refused for this: the flag, and nothing else of it.
    func finding(_ anomaly: AssertionAnomaly) throws(ProviderFault) -> CredentialFinding {
        var flagged = passkey
        flagged.flag(anomaly)
        return CredentialFinding(
            account: record.account,
            credential: record.id,
            anomaly: CredentialAnomaly(anomaly),
            change: try change(to: flagged)
        )
    }
}

extension CredentialAnomaly {
    init(_ anomaly: AssertionAnomaly) {
        switch anomaly {
        case .counterRegressed: self = .counterRegressed
        case .backupEligibilityChanged: self = .backupEligibilityChanged
        }
    }
}

/// What a response in a ceremony with a name is checked against.
struct Candidate {
    /// `nil` if the passkey is unknown or not the named account's.
    let owned: OwnedPasskey?
    /// The account's, or one made up for a name that has none.
    let userHandle: [UInt8]
}

extension PasskeyProvider {
    /// A passkey with its account, looked up by ID; `nil` if there is none.
    func owned(_ id: [UInt8]) throws(ProviderFault) -> OwnedPasskey? {
        guard let record = try vault.record(key: id), let account = try vault.account(record.account) else {
            return nil
        }
        return try OwnedPasskey(record, of: account)
    }

    /// Looks for a passkey of the account with a name; two look-ups, whatever they find.
    func candidate(_ id: [UInt8], of identifier: Identifier) throws(ProviderFault) -> Candidate {
        let account = try vault.account(named: identifier)
        let record = try vault.record(key: id)
        guard let account else { return Candidate(owned: nil, userHandle: decoys.userHandle(for: identifier)) }
        guard let record, record.account == account.id else {
            return Candidate(owned: nil, userHandle: account.userHandle)
        }
        return Candidate(owned: try OwnedPasskey(record, of: account), userHandle: account.userHandle)
    }

    /// The result of a look-up, its failure as an outage.
    func found<Found>(_ lookUp: () throws(ProviderFault) -> Found) throws(SignInError) -> Found {
        do throws(ProviderFault) { return try lookUp() } catch { throw .unavailable(error) }
    }
}
