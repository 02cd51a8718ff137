import Crypto
public import Wire

extension Base64URL {
    /// 32 random bytes, for one ceremony (§13.4.3, `#sctn-cryptographic-challenges`, editor's draft of 2026-07-30).
    public static func challenge() -> Base64URL { Base64URL(bytes: Random.bytes(32)) }
}
