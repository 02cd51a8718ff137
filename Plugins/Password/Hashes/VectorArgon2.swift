import CSodium
import GatehouseKit
import Glibc

/// Argon2id of one lane through libsodium, which picks the widest vector core of the processor when it starts.
///
/// Debian builds libargon2 with its plain core. The bytes are the same; a test over random parameters holds them together.
enum VectorArgon2 {
    private static let isReady = sodium_init() >= 0

    /// libsodium takes 16 bytes of salt and one lane.
    static func takes(_ hash: Argon2Hash) -> Bool {
        isReady && hash.variant == .argon2id && hash.isCurrentVersion && hash.cost.lanes == 1
            && hash.salt.count == Int(crypto_pwhash_argon2id_SALTBYTES)
    }

    static func tag(of password: [UInt8], _ hash: Argon2Hash) throws(ProviderFault) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: hash.tag.count)
        let code = unsafe crypto_pwhash_argon2id(
            &tag,
            UInt64(tag.count),
            password.map { CChar(bitPattern: $0) },
            UInt64(password.count),
            hash.salt,
            UInt64(hash.cost.passes),
            Int(hash.cost.memoryKiB) * 1_024,
            crypto_pwhash_argon2id_ALG_ARGON2ID13
        )
        guard code == 0 else { throw ProviderFault("hash password", code: Int(errno), kind: .overload) }
        return tag
    }
}
