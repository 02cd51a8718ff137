import GatehouseKit
import PasskeyProvider
import WebAuthn
import WebClient
import Wire

extension Gatehouse {
    static let configCheck = Command(
        ["config", "check"],
        "Say everything that is wrong with a configuration, or what it comes to.",
        options: [.config]
    ) { (invocation) throws(CommandFailure) in
        let configuration = try Configuration.load(invocation)
        let metadata = try configuration.metadataSummary()
        print(
            """
            The configuration is fine.
              public URL       \(configuration.publicOrigin)
              RP ID            \(configuration.relyingPartyID)
              listeners        public \(configuration.listenPublic), check \(configuration.listenCheck), \
            operations \(configuration.listenOperations)
              database         \(configuration.databasePath)
              sign-in with     \(configuration.kinds.map(\.description).joined(separator: ", "))
              sign-up          \(configuration.isSignupOpen ? "open" : "closed")
              access rules     \(configuration.rules.count)
              metadata         \(metadata)
            """
        )
    }
}

extension Configuration {
    /// What is known of authenticators; reads the file as the gateway would.
    fileprivate func metadataSummary() throws(CommandFailure) -> String {
        guard let settings = attestation.metadata else { return "none" }
        do throws(DocumentProblem) {
            guard let text = try settings.source.kept() else { return "none yet; the gateway fetches it" }
            let issue = try settings.document().verified(text, at: SystemClock().now)
            return "issue \(issue.number), \(issue.count) models"
        } catch {
            throw CommandFailure(.config, "providers.passkey.metadata.file: \(settings.source.file): \(error.reason)")
        }
    }
}
