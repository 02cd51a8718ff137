import Crypto
import OpenIDConnectProvider
import Wire

/// The team's key, with which the gateway speaks to Apple itself.
struct AppleKeySettings {
    let secret: AppleClientSecret
    let endpoints: AppleEndpoints
    let box: SealedBox

    /// - Parameter section: That of the provider.
    /// - Returns: `nil` where no key is configured.
    static func read(_ section: ConfigurationSection, environment: [String: String]) -> AppleKeySettings? {
        let before = section.problems.lines.count
        let team = section.value("team_id", identifier, isIdentifier)
        let id = section.value("key_id", identifier, isIdentifier)
        let key = section.secret("private_key", environment: environment)
        let sealing = section.secret("sealing_key", environment: environment)
        let endpoints = AppleEndpoints(
            token: section.value("token_url", IssuerSettings.url, IssuerSettings.fetchable)
                ?? "\(TokenIssuer.apple)/auth/token",
            revocation: section.value("revoke_url", IssuerSettings.url, IssuerSettings.fetchable)
                ?? "\(TokenIssuer.apple)/auth/revoke"
        )
        let isAsStated = section.problems.lines.count == before
        let missing = [("team_id", team), ("key_id", id), ("private_key", key), ("sealing_key", sealing)].filter {
            $1 == nil
        }
        if isAsStated, missing.count < 4 {
            for (part, _) in missing {
                section.problem(nil, part, "is missing; the parts of the team's key go together")
            }
        }
        guard let team, let id, let key, let sealing else { return nil }
        guard let signing = P256SigningKey(pem: key) else {
            section.problem(nil, "private_key", "is no P-256 key in PEM, as Apple's .p8 files are")
            return nil
        }
        guard let box = Hexadecimal.bytes(of: sealing).flatMap(SealedBox.init) else {
            section.problem(nil, "sealing_key", "must be 64 hexadecimal digits")
            return nil
        }
        return AppleKeySettings(
            secret: AppleClientSecret(teamID: team, keyID: id, key: signing),
            endpoints: endpoints,
            box: box
        )
    }

    private static let identifier = "10 capital letters and digits"

    private static func isIdentifier(_ text: String) -> String? {
        let isOne =
            text.utf8.count == 10
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return isOne ? text : nil
    }
}
