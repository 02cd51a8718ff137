import Crypto
public import FoundationEssentials
import Synchronization
import Wire

/// An authenticator in software, together with the browser or system in front of it.
///
/// JSON in, JSON out: it takes the options of a ceremony and gives the response, as a page would with
/// `navigator.credentials`. It holds the credentials it made, and may be used from several threads.
public final class SoftAuthenticator: Sendable {
    public struct Settings: Sendable {
        /// What it can sign with; the first one offered is taken.
        public var algorithms: [SigningKey.Algorithm] = [.es256, .edDSA, .rs256]
        public var verifiesUser = true
        public var backupEligible = false
        public var backedUp = false
        /// Whether signatures are counted; if not, the counter stays zero, as with synced passkeys.
        public var counts = true
        public var aaguid = [UInt8](repeating: 0, count: 16)
        public var credentialIDLength = 32
        public var transports = ["internal", "hybrid"]
        /// Makes the attestation of a new credential; `nil` for "none".
        public var attest: (@Sendable (AttestationDraft) -> AttestationDraft.Statement)?

        public init() {}
    }

    public enum Failure: Error, Equatable {
        /// Everything a browser would call `InvalidStateError`.
        case alreadyRegistered
        case noAlgorithm
        case noCredential
        case badOptions
    }

    public struct Credential: Sendable {
        public let id: [UInt8]
        public let key: SigningKey
        public let rpID: String
        public let userHandle: [UInt8]
        public let discoverable: Bool
        public var signCount: UInt32
    }

    public let settings: Settings
    private let held = Mutex<[Credential]>([])

    public init(_ settings: Settings = Settings()) { self.settings = settings }

    /// What it holds, oldest first.
    public var credentials: [Credential] { held.withLock { $0 } }

    /// Creates a credential.
    public func create(
        optionsJSON: Data,
        origin: String,
        altering alterations: Alterations = Alterations()
    ) throws -> Data {
        let options = try JSONDecoder().decode(CreationOptions.self, from: optionsJSON)
        let clientData = try Self.clientData("webauthn.create", options.challenge, origin, alterations)
        let credential = try newCredential(options, alterations)
        let object = attestationObject(
            credential,
            options.authenticatorSelection?.userVerification,
            clientData,
            alterations
        )
        held.withLock { $0.append(credential) }
        var answer = RegistrationAnswer(
            id: Base64URL(bytes: credential.id).text,
            clientDataJSON: Base64URL(bytes: clientData).text,
            attestationObject: Base64URL(bytes: object.encoded).text,
            transports: settings.transports,
            discoverable: options.extensions?.credProps == true ? credential.discoverable : nil
        )
        alterations.registration(&answer)
        return try JSONEncoder().encode(answer)
    }

    /// Signs with the newest credential that suits the options.
    public func get(
        optionsJSON: Data,
        origin: String,
        altering alterations: Alterations = Alterations()
    ) throws -> Data {
        let options = try JSONDecoder().decode(RequestOptions.self, from: optionsJSON)
        let clientData = try Self.clientData("webauthn.get", options.challenge, origin, alterations)
        let credential = try use(options)
        let data = authenticatorData(credential, attested: [], options.userVerification, alterations)
        var signature = credential.key.sign(data + SHA256.hash(clientData))
        alterations.signature(&signature)
        var answer = AssertionAnswer(
            id: Base64URL(bytes: credential.id).text,
            clientDataJSON: Base64URL(bytes: clientData).text,
            authenticatorData: Base64URL(bytes: data).text,
            signature: Base64URL(bytes: signature).text,
            userHandle: credential.discoverable ? Base64URL(bytes: credential.userHandle).text : nil
        )
        alterations.assertion(&answer)
        return try JSONEncoder().encode(answer)
    }
}

// MARK: - Credentials

extension SoftAuthenticator {
    private func newCredential(_ options: CreationOptions, _ alterations: Alterations) throws -> Credential {
        guard let rpID = options.rp.id, let user = Base64URL(options.user.id) else { throw Failure.badOptions }
        let excluded = options.excludeCredentials?.map(\.id) ?? []
        guard !credentials.contains(where: { excluded.contains(Base64URL(bytes: $0.id).text) }) else {
            throw Failure.alreadyRegistered
        }
        let offered = options.pubKeyCredParams.compactMap { SigningKey.Algorithm(rawValue: $0.alg) }
        guard let algorithm = offered.first(where: settings.algorithms.contains) else { throw Failure.noAlgorithm }
        var id = Random.bytes(settings.credentialIDLength)
        alterations.credentialID(&id)
        return Credential(
            id: id,
            key: algorithm == .rs256 ? .sharedRSA : SigningKey(algorithm),
            rpID: rpID,
            userHandle: user.bytes,
            discoverable: options.authenticatorSelection?.residentKey ?? "discouraged" != "discouraged",
            signCount: settings.counts ? 1 : 0
        )
    }

    /// Picks a credential and counts its use.
    private func use(_ options: RequestOptions) throws -> Credential {
        let allowed = options.allowCredentials?.map(\.id) ?? []
        return try held.withLock { held in
            let place = held.lastIndex { credential in
                credential.rpID == options.rpId
                    && (allowed.isEmpty
                        ? credential.discoverable : allowed.contains(Base64URL(bytes: credential.id).text))
            }
            guard let place else { throw Failure.noCredential }
            if settings.counts { held[place].signCount += 1 }
            return held[place]
        }
    }
}

// MARK: - What is signed

extension SoftAuthenticator {
    private static func clientData(
        _ type: String,
        _ challenge: String,
        _ origin: String,
        _ alterations: Alterations
    ) throws -> [UInt8] {
        var members: [Alterations.Member] = [
            ("type", "\"\(type)\""), ("challenge", "\"\(challenge)\""), ("origin", "\"\(origin)\""),
            ("crossOrigin", "false"),
        ]
        alterations.clientData(&members)
        var json = Array("{\(members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ","))}".utf8)
        alterations.clientDataJSON(&json)
        return json
    }

    private func attestationObject(
        _ credential: Credential,
        _ userVerification: String?,
        _ clientData: [UInt8],
        _ alterations: Alterations
    ) -> CBORItem {
        var key = credential.key.coseKey
        alterations.coseKey(&key)
        let length = UInt16(truncatingIfNeeded: credential.id.count)
        let attested =
            settings.aaguid + [UInt8(length >> 8), UInt8(length & 0xFF)] + credential.id + key.encoded
        let data = authenticatorData(credential, attested: attested, userVerification, alterations)
        let draft = AttestationDraft(
            authenticatorData: data,
            clientDataHash: SHA256.hash(clientData),
            credentialID: credential.id,
            key: credential.key
        )
        let (format, statement) = settings.attest?(draft) ?? ("none", .map([]))
        var object = CBORItem.map([
            (.text("fmt"), .text(format)), (.text("attStmt"), statement), (.text("authData"), .bytes(data)),
        ])
        alterations.attestationObject(&object)
        return object
    }

    private func authenticatorData(
        _ credential: Credential,
        attested: [UInt8],
        _ userVerification: String?,
        _ alterations: Alterations
    ) -> [UInt8] {
        var flags: UInt8 = 0x01
        if settings.verifiesUser, userVerification != "discouraged" { flags |= 0x04 }
        if settings.backupEligible { flags |= 0x08 }
        if settings.backedUp { flags |= 0x10 }
        if !attested.isEmpty { flags |= 0x40 }
        if !alterations.extensions.isEmpty { flags |= 0x80 }
        alterations.flags(&flags)
        var count = credential.signCount
        alterations.signCount(&count)
        let counter = (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> UInt32($0 * 8)) }
        var data = SHA256.hash(Array(credential.rpID.utf8)) + [flags] + counter + attested + alterations.extensions
        alterations.authenticatorData(&data)
        return data
    }
}
