import GatehouseKit
import PasskeyProvider
import TrustedDeviceProvider
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
        let keyStatus = try configuration.keyStatusSummary()
        print(
            """
            The configuration is fine.
              public URL       \(configuration.portals.map(\.origin.description).joined(separator: ", "))
              RP ID            \(configuration.relyingPartyID)
              listeners        public \(configuration.listenPublic), check \(configuration.listenCheck), \
            operations \(configuration.listenOperations)
              database         \(configuration.databasePath)
              sign-in with     \(configuration.kinds.map(\.description).joined(separator: ", "))
              sign-up          \(configuration.isSignupOpen ? "open" : "closed")
              access rules     \(configuration.rules.count)
              metadata         \(metadata)
              key status       \(keyStatus)
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

    /// What is known of revoked Android keys; reads the file as the gateway would.
    fileprivate func keyStatusSummary() throws(CommandFailure) -> String {
        guard let source = devices.status else { return "none" }
        do throws(DocumentProblem) {
            guard let text = try source.kept() else { return "none yet; the gateway fetches it" }
            try AndroidKeyStatus().take(text, at: SystemClock().now, Log { _ in })
            return "\(source.file) is a list"
        } catch {
            let path = "providers.trusted-device.android.status.file"
            throw CommandFailure(.config, "\(path): \(source.file): \(error.reason)")
        }
    }
}
