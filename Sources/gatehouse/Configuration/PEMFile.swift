import Crypto
import FoundationEssentials

/// Certificates that an operator names by their file.
enum PEMFile {
    private static let maximumSize = 1 << 20

    /// - Returns: `nil` if there is no certificate in it, or one that can't be used.
    static func certificates(_ path: String) -> [Certificate]? {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= maximumSize,
            let text = String(validating: data, as: UTF8.self), let encodings = PEM.certificates(in: text)
        else { return nil }
        let certificates = encodings.compactMap { try? Certificate(der: $0) }
        return certificates.isEmpty || certificates.count < encodings.count ? nil : certificates
    }
}
