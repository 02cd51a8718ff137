import FoundationEssentials
import GatehouseKit
import WebAuthn

/// The stored form of a passkey: WebAuthn's credential record in JSON.
enum PasskeyPayload {
    static func encode(_ passkey: WebAuthn.CredentialRecord) throws(ProviderFault) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return [UInt8](try encoder.encode(passkey)) } catch { throw ProviderFault("encode passkey", code: 0) }
    }

    /// - Throws: ``ProviderFault`` if it isn't what we stored: damage of ours, and nothing to refuse anyone for.
    static func decode(_ payload: [UInt8]) throws(ProviderFault) -> WebAuthn.CredentialRecord {
        do {
            return try JSONDecoder().decode(WebAuthn.CredentialRecord.self, from: Data(payload))
        } catch { throw ProviderFault("decode passkey", code: 0) }
    }
}
