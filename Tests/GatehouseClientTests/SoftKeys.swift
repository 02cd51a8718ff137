import Foundation
import GatehouseClient
import GatehouseTesting

/// A device's key in software.
struct SoftDeviceKey: DeviceKey {
    private let key = SigningKey(.es256)

    var publicKey: Data { Data(key.publicBytes) }
    func sign(_ message: Data) async throws -> Data { Data(key.sign([UInt8](message))) }
}

/// A passkey provider in software that speaks like `ASAuthorizationController`: raw fields in and out.
struct SoftPasskeys {
    private let authenticator = SoftAuthenticator()

    func create(_ registration: PasskeyRegistration) throws -> PasskeyAttestation {
        let options: [String: Any] = [
            "rp": ["id": registration.options.rp.id], "user": ["id": registration.options.user.id.text],
            "challenge": registration.options.challenge.text, "pubKeyCredParams": [["alg": -7]],
            "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
        ]
        let made = try Self.object(
            try authenticator.create(optionsJSON: try Self.json(options), origin: LiveGateway.origin)
        )
        return PasskeyAttestation(
            credentialID: try Self.bytes(made, "id"),
            rawClientDataJSON: try Self.bytes(made, "response", "clientDataJSON"),
            rawAttestationObject: try Self.bytes(made, "response", "attestationObject")
        )
    }

    func assert(_ request: PasskeyRequest) throws -> PasskeyAssertion {
        let options: [String: Any] = [
            "challenge": request.challenge.text, "rpId": request.rpId, "userVerification": "required",
            "allowCredentials": request.allowCredentials.map { ["id": $0.id.text] },
        ]
        let made = try Self.object(
            try authenticator.get(optionsJSON: try Self.json(options), origin: LiveGateway.origin)
        )
        return PasskeyAssertion(
            credentialID: try Self.bytes(made, "id"),
            rawClientDataJSON: try Self.bytes(made, "response", "clientDataJSON"),
            rawAuthenticatorData: try Self.bytes(made, "response", "authenticatorData"),
            signature: try Self.bytes(made, "response", "signature"),
            userID: try Self.bytes(made, "response", "userHandle")
        )
    }

    private struct Missing: Error {}

    private static func json(_ object: [String: Any]) throws -> Data {
        try JSONSerialization.data(withJSONObject: object)
    }

    private static func object(_ json: Data) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: json) as? [String: Any] else { throw Missing() }
        return object
    }

    private static func bytes(_ object: [String: Any], _ path: String...) throws -> Base64URLData {
        let value = path.reduce(object as Any?) { ($0 as? [String: Any])?[$1] }
        guard let bytes = (value as? String).flatMap({ Base64URLData($0) }) else { throw Missing() }
        return bytes
    }
}
