import FoundationEssentials
import GatehouseCore
import GatehouseKit
import HTTPFront
import PasswordProvider
import WebAuthn
import Wire

/// Reads a configuration file and the environment, and reports all that is wrong with them at once.
struct ConfigurationReader {
    let root: ConfigurationSection
    let problems: ConfigurationProblems
    let environment: [String: String]
    private let file: String?

    /// - Parameter file: `nil` for defaults only.
    /// - Throws: ``ConfigurationError``
    static func read(file: String?, environment: [String: String]) throws(ConfigurationError) -> Configuration {
        let name = file ?? "(defaults)"
        let text: [UInt8]?
        do throws(YAMLError) { text = try file.map(load) } catch {
            throw ConfigurationError(lines: ["\(name):\(error.line): \(error.message)"])
        }
        return try read(text: text, of: file, environment: environment)
    }

    /// - Parameters:
    ///   - text: `nil` for defaults only.
    ///   - file: Where the text is from, for what is said about it.
    /// - Throws: ``ConfigurationError``
    static func read(
        text: [UInt8]?,
        of file: String?,
        environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        let name = file ?? "(defaults)"
        let node: YAMLNode?
        do throws(YAMLError) {
            node = try text.flatMap { (text) throws(YAMLError) in
                try YAML.parse(text, maximumNodes: YAML.maximumNodes)
            }
        } catch {
            throw ConfigurationError(lines: ["\(name):\(error.line): \(error.message)"])
        }
        let problems = ConfigurationProblems(file: name)
        let reader = ConfigurationReader(
            root: ConfigurationSection(node, path: "", problems: problems),
            problems: problems,
            environment: environment,
            file: file
        )
        let configuration = reader.configuration()
        guard problems.lines.isEmpty, var configuration else { throw ConfigurationError(lines: problems.lines) }
        configuration.stated = node?.values ?? [:]
        return configuration
    }

    private static func load(_ path: String) throws(YAMLError) -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw YAMLError(line: 0, message: "can't be read")
        }
        return [UInt8](data)
    }

    private func configuration() -> Configuration? {
        checkEnvironment()
        let origin = publicOrigin()
        let listen = root.section("listen")
        var configuration = Configuration(
            file: file,
            publicOrigin: origin,
            relyingPartyID: relyingPartyID(for: origin),
            listenPublic: address(listen, "public", "127.0.0.1:9091"),
            listenCheck: address(listen, "check", "127.0.0.1:9092"),
            listenOperations: address(listen, "operations", "127.0.0.1:9093")
        )
        listen.finish()
        readNames(into: &configuration)
        readProviders(into: &configuration)
        readTimes(into: &configuration)
        readProtection(into: &configuration)
        readAccess(into: &configuration)
        root.finish()
        ConfigurationRules.check(configuration, problems)
        return configuration
    }

    private func address(_ section: ConfigurationSection, _ key: String, _ fallback: String) -> ListenAddress {
        section.value(key, "an address and port, or unix: and a path", ListenAddress.init)
            ?? ListenAddress(fallback) ?? .unix(path: "")
    }

    // MARK: Who we are

    private func publicOrigin() -> WebOrigin {
        let local = WebOrigin(scheme: .http, host: "localhost", port: 9091)
        let stated = root.value("public_url", "an https origin without a path, or http on localhost", PublicURL.parse)
        let passkey = environment["PASSKEY_ORIGIN"].flatMap { text -> WebOrigin? in
            guard let origin = WebOrigin(text), origin.scheme == .https, origin.description == text else {
                problems.add(
                    nil,
                    "PASSKEY_ORIGIN",
                    "must be exactly an https origin: no path, no query, no slash at the end"
                )
                return nil
            }
            return origin
        }
        if let stated, let passkey, stated != passkey {
            problems.add(nil, "PASSKEY_ORIGIN", "differs from public_url, which is \(stated); set one of them")
        }
        return stated ?? passkey ?? local
    }

    private func relyingPartyID(for origin: WebOrigin) -> String {
        let section = root.section("passkeys")
        defer { section.finish() }
        let stated = environment["PASSKEY_RP_ID"] ?? section.text("rp_id")
        guard let stated else { return origin.host }
        guard HostName.normalized(stated) == stated, !stated.hasPrefix("[") else {
            problems.add(section.line, "passkeys.rp_id", "must be a host name in lower case, without scheme and port")
            return origin.host
        }
        return stated
    }

    private func readNames(into configuration: inout Configuration) {
        let stated = root.value("name", "1 to 64 characters") { AccountProfile.isShowable($0, in: 1...64) ? $0 : nil }
        let named = environment["PASSKEY_RP_NAME"]
        if let named, !AccountProfile.isShowable(named, in: 1...64) {
            problems.add(nil, "PASSKEY_RP_NAME", "must be 1 to 64 characters that can be shown")
        }
        configuration.name = named ?? stated ?? configuration.name
        configuration.relatedOrigins = root.list("related_origins", "an https origin", PublicURL.parse) ?? []
        configuration.corsOrigins = root.list("cors_origins", "an https origin", PublicURL.parse) ?? []
        let storage = root.section("storage")
        let sqlite = storage.section("sqlite")
        configuration.databasePath = sqlite.text("path") ?? configuration.databasePath
        sqlite.finish()
        storage.finish()
        configuration.apps = AppsReader(environment: environment, problems: problems).read(root.section("apps"))
    }

    // MARK: Environment

    /// Variables with our prefixes that nobody reads are mistakes.
    private func checkEnvironment() {
        let known: Set = [
            "PASSKEY_RP_ID", "PASSKEY_ORIGIN", "PASSKEY_RP_NAME", "PASSKEY_CHALLENGE_TTL_MS", "GATEHOUSE_CONFIG",
        ]
        for name in environment.keys.sorted() where name.hasPrefix("PASSKEY_") || name.hasPrefix("GATEHOUSE_") {
            if !known.contains(name) { problems.add(nil, name, "unknown environment variable") }
        }
    }

    func challengeLifetime() -> Timestamp.Span? {
        guard let text = environment["PASSKEY_CHALLENGE_TTL_MS"] else { return nil }
        guard let milliseconds = Int64(text), (1_000...86_400_000).contains(milliseconds) else {
            problems.add(nil, "PASSKEY_CHALLENGE_TTL_MS", "must be a number of milliseconds from 1000 to 86400000")
            return nil
        }
        return Timestamp.Span(milliseconds: milliseconds)
    }
}
