import Crypto
import Wire

extension FuzzTarget {
    /// Reads elements to the end, and what is in them: each has one encoding.
    static func walk(_ bytes: [UInt8], levelsLeft: Int) {
        var reader = DERReader(bytes)
        while levelsLeft > 0, !reader.isAtEnd {
            let start = reader.offset
            guard let element = try? reader.next() else { return }
            demand(encoding(of: element) == Array(bytes[start..<reader.offset]), "an element has two encodings")
            read(element)
            if element.tag.isConstructed { walk(element.content, levelsLeft: levelsLeft - 1) }
        }
    }

    private static func read(_ element: DERElement) {
        _ = try? element.boolean()
        _ = try? element.unsignedInteger()
        _ = element.smallNumber
        _ = try? element.wholeBytes()
        _ = try? CertificateName(parsing: element)
    }

    private static func encoding(of element: DERElement) -> [UInt8] {
        let tag = element.tag
        let first = tag.domain.rawValue | (tag.isConstructed ? 0x20 : 0)
        let number = tag.number < 31 ? [] : groups(tag.number)
        let count = element.content.count
        let digits = (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }.drop { $0 == 0 }
        let length = count < 0x80 ? [UInt8(count)] : [0x80 | UInt8(digits.count)] + digits
        return [first | (number.isEmpty ? UInt8(tag.number) : 0x1F)] + number + length + element.content
    }

    /// A tag number from 31 up, in one or two groups of seven bits.
    private static func groups(_ number: UInt32) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [0x80 | UInt8(number >> 7), UInt8(number & 0x7F)]
    }

    /// One certificate after the other, the leaf first; the last of them is taken for an anchor.
    static func follow(_ bytes: [UInt8]) {
        let encodings = elements(of: bytes)
        guard let last = encodings.last, let chain = try? CertificateChain(encodings) else { return }
        for certificate in [chain.leaf] + chain.others { use(certificate) }
        guard let anchor = try? Certificate(der: last) else { return }
        try? chain.validate(to: TrustAnchors([anchor]), at: 1_785_369_600)
    }

    private static func elements(of bytes: [UInt8]) -> [[UInt8]] {
        var reader = DERReader(bytes)
        var elements: [[UInt8]] = []
        while !reader.isAtEnd {
            let start = reader.offset
            guard (try? reader.next()) != nil else { break }
            elements.append(Array(bytes[start..<reader.offset]))
        }
        return elements
    }

    /// A key that is taken must bear being used.
    private static func use(_ certificate: Certificate) {
        _ = try? certificate.fields.isAuthority
        _ = try? certificate.fields.extendedKeyUsages
        _ = try? certificate.fields.alternativeDirectoryNames
        let algorithms: [SignatureAlgorithm] = [
            .ecdsa(.p256, .sha256), .ecdsa(.p384, .sha384), .ecdsa(.p521, .sha512), .ed25519, .ed448,
            .rsaPKCS1(.sha256), .rsaPSS(.sha256),
        ]
        for algorithm in algorithms {
            guard let key = try? certificate.publicKey(for: algorithm) else { continue }
            demand(!key.isValid(signature: certificate.der, over: certificate.der), "a key accepts any signature")
        }
    }
}
