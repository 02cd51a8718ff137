import Crypto
import GatehouseKit

/// scrypt in the PHC string format: `$scrypt$ln=16,r=8,p=1$salt$tag` (RFC 7914).
struct ScryptHash: StoredHash {
    private let cost: ScryptCost
    private let salt: [UInt8]
    private let tag: [UInt8]

    init?(_ text: String) {
        guard var fields = HashFields(text, after: "$scrypt$", count: 3), let cost = ScryptCost(&fields),
            let salt = fields.nextBytes(), let tag = fields.nextBytes(), (16...64).contains(tag.count)
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.tag = tag
    }

    var memory: Int { cost.memory }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        ConstantTime.equal(try cost.derive(password, salt, count: tag.count), tag)
    }
}

/// Firebase's variant: `$firescrypt$ln=14,r=8,p=1$salt$tag$separator$signer key`.
///
/// scrypt makes an AES key of the password, and the tag is the project's signer key under it
/// (github.com/firebase/scrypt).
struct FirebaseHash: StoredHash {
    private let cost: ScryptCost
    private let salt: [UInt8]
    private let tag: [UInt8]
    private let signerKey: [UInt8]

    init?(_ text: String) {
        guard var fields = HashFields(text, after: "$firescrypt$", count: 5), let cost = ScryptCost(&fields),
            let salt = fields.nextBytes(), let tag = fields.nextBytes(), let separator = fields.nextBytes(),
            let signerKey = fields.nextBytes(), tag.count == signerKey.count, (32...128).contains(tag.count)
        else { return nil }
        self.cost = cost
        self.salt = salt + separator
        self.tag = tag
        self.signerKey = signerKey
    }

    var memory: Int { cost.memory }

    func matches(_ password: [UInt8]) throws(ProviderFault) -> Bool {
        let key = try cost.derive(password, salt, count: 64)
        guard let made = AESCounter.encrypt(signerKey, key: Array(key.prefix(32))) else {
            throw ProviderFault("encrypt Firebase's signer key", code: 0)
        }
        return ConstantTime.equal(made, tag)
    }
}

/// `ln=…,r=…,p=…`, within what we are ready to pay.
private struct ScryptCost {
    private let logN: Int
    private let blockSize: Int
    private let parallelization: Int

    /// 256 MiB, as for Argon2.
    private static let maximumMemory = 256 << 20

    var memory: Int { 128 * blockSize << logN }

    init?(_ fields: inout HashFields) {
        guard let numbers = fields.nextNumbers("ln", "r", "p"), (1...20).contains(numbers[0]),
            (1...32).contains(numbers[1]), (1...4).contains(numbers[2]),
            128 * numbers[1] << numbers[0] <= Self.maximumMemory
        else { return nil }
        (logN, blockSize, parallelization) = (numbers[0], numbers[1], numbers[2])
    }

    func derive(_ password: [UInt8], _ salt: [UInt8], count: Int) throws(ProviderFault) -> [UInt8] {
        let key = KeyDerivation.scrypt(
            password,
            salt: salt,
            logN: logN,
            blockSize: blockSize,
            parallelization: parallelization,
            count: count
        )
        // With parameters in range, memory is all that can be missing.
        guard let key else { throw ProviderFault("hash password with scrypt", code: 0, kind: .overload) }
        return key
    }
}
