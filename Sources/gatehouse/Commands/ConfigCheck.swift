import GatehouseKit
import Wire

extension Gatehouse {
    static let configCheck = Command(
        ["config", "check"],
        "Say everything that is wrong with a configuration, or what it comes to.",
        options: [.config]
    ) { (invocation) throws(CommandFailure) in
        let configuration = try Configuration.load(invocation)
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
            """
        )
    }
}
