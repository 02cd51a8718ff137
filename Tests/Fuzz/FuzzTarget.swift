import Crypto
import GatehouseCore
import Wire

@testable import OpenIDConnectProvider
@testable import PasswordProvider
@testable import TrustedDeviceProvider
@testable import WebAuthn
@testable import gatehouse

/// A parser that bytes from outside reach, by the name of its folder in `Corpus`.
enum FuzzTarget: String, CaseIterable, Sendable {
    case androidKeyDescription = "android-key-description"
    case androidKeyStatus = "android-key-status"
    case appAttest = "app-attest"
    case attestationObject = "attestation-object"
    case authenticatorData = "authenticator-data"
    case cbor
    case certificateChain = "certificate-chain"
    case clientData = "client-data"
    case configuration
    case cookieHeader = "cookie-header"
    case coseKey = "cose-key"
    case csv
    case der
    case idToken = "id-token"
    case keySet = "key-set"
    case metadata
    case metadataSignature = "metadata-signature"
    case passwordHash = "password-hash"
    case pathPattern = "path-pattern"
    case requestPath = "request-path"
    case strictJSON = "strict-json"
    case tokenClaims = "token-claims"
    case url

    /// Parses once, as the gateway would; what comes of it is not looked at, beyond what must hold for any input.
    func run(_ bytes: [UInt8]) {
        switch self {
        case .androidKeyDescription: Self.describe(bytes)
        case .androidKeyStatus: _ = try? AndroidKeyStatus.serials(in: bytes)
        case .appAttest: _ = AppAttestStatement(parsing: bytes)
        case .attestationObject: _ = try? AttestationObject(parsing: bytes)
        case .authenticatorData: _ = try? AuthenticatorData(parsing: bytes)
        case .cbor: _ = try? CBORValue(decoding: bytes.span)
        case .certificateChain: Self.follow(bytes)
        case .clientData: _ = try? CollectedClientData(parsing: bytes)
        case .configuration: _ = try? ConfigurationReader.read(text: bytes, of: "fuzz", environment: [:])
        case .cookieHeader: Self.lookUpCookies(String(decoding: bytes, as: UTF8.self))
        case .coseKey: Self.verify(with: bytes)
        case .csv: Self.readTable(bytes)
        case .der: Self.walk(bytes, levelsLeft: 16)
        case .idToken: _ = try? IDToken(parsing: bytes)
        case .keySet: Self.verify(withKeySet: bytes)
        case .metadata: _ = try? MetadataBLOB(parsing: bytes)
        case .metadataSignature: _ = try? MetadataBLOB(verifying: bytes, by: .fidoAlliance, at: 0)
        case .passwordHash: Self.rewrite(String(decoding: bytes, as: UTF8.self))
        case .pathPattern: Self.match(bytes)
        case .requestPath: _ = RequestPath(String(decoding: bytes, as: UTF8.self))
        case .strictJSON: _ = try? StrictJSON.check(bytes)
        case .tokenClaims: Self.judge(claims: bytes)
        case .url: Self.parseAgain(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// What is removed is gone.
    private static func lookUpCookies(_ text: String) {
        let header = CookieHeader(text)
        _ = header["id"]
        demand(CookieHeader(header.removing("id"))["id"] == .absent, "a cookie outlived its removal")
    }

    /// A key that is taken must bear being used.
    private static func verify(with bytes: [UInt8]) {
        guard let key = try? COSEKey(parsing: bytes) else { return }
        demand(!key.publicKey.isValid(signature: bytes, over: bytes), "a key accepts any signature")
    }

    /// What is read of a description only when it is asked for must bear being asked for.
    private static func describe(_ bytes: [UInt8]) {
        guard let description = AndroidKeyDescription(parsing: bytes) else { return }
        for list in [description.softwareEnforced, description.hardwareEnforced] {
            _ = (list.rootOfTrust, list.userAuthentication, list.outlastsOneUse, list.needsNoUser)
            demand(list.application?.packages.count ?? 0 <= bytes.count, "more packages than bytes")
        }
    }

    private static func verify(withKeySet bytes: [UInt8]) {
        for key in TokenKeySet(parsing: bytes)?.keys ?? [] {
            demand(!key.isValid(signature: bytes, over: bytes), "a key accepts any signature")
        }
    }

    /// What can be read must bear being judged, and claims that nobody asked for aren't for us.
    private static func judge(claims bytes: [UInt8]) {
        guard let members = try? JSONMembers(parsing: bytes, takesUnpairedSurrogates: false),
            let claims = try? IDTokenClaims(members)
        else { return }
        let rules = IDTokenRules(issuers: [claims.issuer], clientIDs: ["app"], algorithms: [.rs256])
        let isOurs = claims.audience.allSatisfy { $0 == "app" } && claims.authorizedParty ?? "app" == "app"
        let isTaken =
            (try? rules.check(issuer: claims.issuer, audience: claims.audience, authorizedParty: claims.authorizedParty))
            != nil
        demand(isTaken == isOurs, "a token for another app is taken")
        _ = try? rules.checkTime(claims, now: 1_800_000_000)
    }

    /// Every record that ends has a field, and all its text comes from its lines.
    private static func readTable(_ bytes: [UInt8]) {
        var parser = CSVRecordParser()
        var length = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            length += line.count + 1
            let hasEnded = try? parser.take(line: Array(line))
            guard hasEnded != false else { continue }
            if hasEnded == true, let fields = try? parser.texts(256).get() {
                demand(!fields.isEmpty, "a record without a field")
                demand(fields.reduce(0) { $0 + $1.utf8.count } < length, "fields longer than their record")
            }
            (parser, length) = (CSVRecordParser(), 0)
        }
    }

    /// There is one spelling of a hash.
    private static func rewrite(_ text: String) {
        _ = HashForms.parse(text, within: .max)
        guard let hash = Argon2Hash(text) else { return }
        demand(Array(hash.text.utf8) == Array(text.utf8), "a hash has two spellings")
    }

    /// The first line is the pattern, the rest the path; a pattern without stars covers itself.
    private static func match(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(decoding: lines[0], as: UTF8.self)
        guard let pattern = PathPattern(text), let path = RequestPath(text) else { return }
        demand(pattern.matches(path) && pattern.matches(path, ignoringCase: true), "a pattern misses itself")
        if lines.count == 2, let other = RequestPath(String(decoding: lines[1], as: UTF8.self)) {
            demand(!pattern.matches(other) || pattern.matches(other, ignoringCase: true), "folding loses a match")
        }
    }

    /// What was understood is understood the same way when it is written out.
    private static func parseAgain(_ text: String) {
        guard let url = WebURL(text) else { return }
        demand(WebURL(url.description) == url || url.description.utf8.count > WebURL.maximumByteCount, "unstable")
        demand(WebOrigin(url.origin.description) == url.origin, "unstable origin")
    }
}

/// Stops the process with the message, which `precondition` leaves out of optimised code.
func demand(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
