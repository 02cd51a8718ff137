import Wire

/// The makers of synced and platform passkeys that most people have, by AAGUID.
///
/// From the list that passkey managers maintain for this purpose (github.com/passkeydeveloper/passkey-authenticator-aaguids).
enum PasskeyKeeper {
    static func name(of aaguid: Base64URL) -> String? { names[hexadecimal(aaguid.bytes)] }

    private static let names = [
        "08987058cadc4b81b6e130de50dcbe96": "Windows Hello",
        "6028b017b1d44c02b4b3afcdafc96bb2": "Windows Hello",
        "9ddd1817af5a4672a2b93e3dd95000a9": "Windows Hello",
        "bada5566a7aa401fbd9645619a55120d": "1Password",
        "d548826e79b4db40a3d811116f7e8349": "Bitwarden",
        "ea9b8d664d011d213ce4b6b48cb575d4": "Google Password Manager",
        "fbfc3007154e4ecc8c0b6e020557d7bd": "Apple Passwords",
    ]

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
