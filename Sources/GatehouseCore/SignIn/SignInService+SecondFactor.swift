import GatehouseKit

extension SignInService {
    /// The ceremony in which a sign-in goes on, with a challenge of its own.
    ///
    /// It takes the place of the one before in the same transaction. What was proved is kept with it and counts for nothing
    /// by itself; where its credential changes or goes, or the account's sessions are ended, the ceremony goes as well.
    func goOn(
        from first: Admission.FirstFactor,
        _ evidence: Evidence,
        _ account: Account,
        _ attempt: SignInAttempt,
        at now: Timestamp,
        _ writer: any StorageWriter
    ) throws -> StoredCeremony {
        let row = StoredCeremony(
            purpose: .secondFactor,
            kinds: first.kinds,
            account: account.id,
            challenge: CeremonyService.challenge(),
            client: attempt.row.client,
            deviceID: attempt.row.deviceID,
            returnTo: attempt.row.returnTo,
            evidence: first.evidence,
            isRemembered: attempt.row.isRemembered,
            begunAt: now,
            expiresAt: ceremonies.expiry(of: .modal, begunAt: now)
        )
        try writer.insert(row)
        try writer.append(attempt.event(.firstFactorProved, evidence, session: nil, at: now))
        if let guess = attempt.guess { try throttle.takeBack(guess, isAccount: true, at: now, writer) }
        return row
    }

    /// What the visitor may go on with.
    func begunSecondFactor(_ row: StoredCeremony) throws(SignInError) -> BegunSignIn {
        let account = try storage.look { (reader) throws(ProviderFault) in
            try row.account.flatMap { (id) throws(ProviderFault) in try reader.account(id) }
        }
        let visitor = Visitor(steppingUp: account?.reference)
        return BegunSignIn(ceremony: row, requests: try offered(to: visitor, in: row), account: account?.reference)
    }
}
