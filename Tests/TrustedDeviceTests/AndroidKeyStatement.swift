import Crypto
import GatehouseTesting
import Wire

/// What Android's keystore says of a key, sound by default: made in hardware, for one app, unlocked by a finger each time.
struct AndroidKeyStatement {
    var attestationLevel: UInt8 = 1
    var keyLevel: UInt8 = 1
    var challenge: [UInt8]
    var application = Application()
    var software: [DERItem] = []
    var hardware: [UInt32: DERItem] = [
        1: .set(.integer(2)), 504: .integer(2), 702: .integer(0), 704: Self.rootOfTrust(),
    ]
    /// The key that is described.
    var key: SigningKey
    /// Comes after the leaf.
    var others: [[UInt8]] = []

    struct Application {
        var packages = ["test.example.app"]
        var digests = [AndroidKeyStatement.certificate]
    }

    /// The digest of the certificate that signs the app.
    static let certificate = [UInt8](repeating: 0xA5, count: 32)

    static func rootOfTrust(isLocked: Bool = true, state: UInt8 = 0) -> DERItem {
        let hash = DERItem.octets([UInt8](repeating: 7, count: 32))
        return .sequence(hash, .boolean(isLocked), .element(tag: 0x0A, [state]), hash)
    }

    /// `[number]` around an item, for numbers from 31 up.
    static func entry(_ number: UInt32, _ item: DERItem) -> DERItem {
        guard number > 30 else { return .explicit(UInt8(number), item) }
        let tag = [0xBF, 0x80 | UInt8(number >> 7), UInt8(number & 0x7F)]
        // The tag of an element in one byte, taken off again.
        return .raw(tag + DERItem.element(tag: 0, item.encoded).encoded.dropFirst())
    }

    private var applicationEntry: DERItem {
        let packages = application.packages.map { DERItem.sequence(.octets(Array($0.utf8)), .integer(1)) }
        let value = DERItem.sequence(
            .constructed(tag: 0x31, packages),
            .constructed(tag: 0x31, application.digests.map(DERItem.octets))
        )
        return Self.entry(709, .octets(value.encoded))
    }

    var description: DERItem {
        .sequence(
            .integer(3),
            .element(tag: 0x0A, [attestationLevel]),
            .integer(4),
            .element(tag: 0x0A, [keyLevel]),
            .octets(challenge),
            .octets([]),
            .constructed(tag: 0x30, software + [applicationEntry]),
            .constructed(tag: 0x30, hardware.sorted { $0.key < $1.key }.map { Self.entry($0.key, $0.value) })
        )
    }

    var `extension`: DERItem { .extension("1.3.6.1.4.1.11129.2.1.17", description) }

    /// The certificates, with an end-entity one first unless `change` makes something else of it.
    func certificates(
        by issuer: CertificateIssuer,
        _ change: (inout CertificateDraft) -> Void = { _ in }
    ) -> [[UInt8]] {
        let leaf = CertificateDraft(of: key) {
            $0.extensions = [.basicConstraints(isAuthority: false), `extension`]
            change(&$0)
        }
        return [leaf.issued(by: issuer)] + others
    }
}
