// swift-tools-version: 6.3
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// What ships is audited for unsafe code as well; tests play with rlimits and signals.
let shipped = house + [.strictMemorySafety()]

/// A C library of the system: a module map and a shim in `Sources/<name>`.
func system(_ name: String, pkgConfig: String? = nil, apt package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func module(
    _ name: String,
    needs dependencies: [Target.Dependency] = [],
    embedding files: [String] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        resources: files.map { .embedInCode($0) },
        swiftSettings: shipped
    )
}

/// A credential provider: one folder under Plugins/, seeing the provider kit and the libraries it names.
func provider(_ name: String, needs extra: [Target.Dependency] = []) -> Target {
    .target(
        name: "\(name)Provider",
        dependencies: ["GatehouseKit", "Crypto", "Wire"] + extra,
        path: "Plugins/\(name)",
        swiftSettings: shipped
    )
}

func tests(of name: String, needs dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: house)
}

let providers: [Target] = [
    provider("OpenIDConnect", needs: ["WebClient"]),
    provider("Passkey", needs: ["WebAuthn", "WebClient"]),
    provider("Password", needs: ["CArgon2", "CCrypt", "CSodium", "WebClient"]),
    provider("RecoveryCodes"),
    provider("TrustedDevice", needs: ["WebClient"]),
]

let package = Package(
    name: "gatehouse",
    products: [
        // Wire as well: the public types of WebAuthn are made of its bytes.
        .library(name: "WebAuthn", targets: ["WebAuthn", "Wire"]),
        // For apps; it needs nothing else of the package.
        .library(name: "GatehouseClient", targets: ["GatehouseClient"]),
    ],
    targets: [
        system("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),
        system("CCrypt", pkgConfig: "libcrypt", apt: "libcrypt-dev"),
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        system("CIDN2", pkgConfig: "libidn2", apt: "libidn2-dev"),
        system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CPSL", pkgConfig: "libpsl", apt: "libpsl-dev"),
        system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CUnistring", apt: "libunistring-dev"),
        system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),

        // The one piece of C: for the benchmark only.
        .target(name: "CAllocations"),

        module("GatehouseClient"),
        module("Wire"),
        module("Crypto", needs: ["COpenSSL", "Wire"]),
        module("WebAuthn", needs: ["Wire", "Crypto"]),
        module("WebClient", needs: ["CCurl", "GatehouseKit"]),
        module("GatehouseKit", needs: ["Wire", "Crypto", "CUnistring"]),
        module("GatehouseCore", needs: ["GatehouseKit", "Crypto", "Wire"]),
        module("Storage", needs: ["GatehouseCore", "GatehouseKit", "CSQLite"]),
        module(
            "HTTPFront",
            needs: ["GatehouseCore", "GatehouseKit", "Crypto", "Wire", "CMicroHTTPD"],
            embedding: ["API/openapi.json", "Portal/Assets", "Portal/Pages", "Portal/en.json"]
        ),
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "CIDN2", "CPSL", "CYAML", "Crypto", "GatehouseCore", "GatehouseKit", "HTTPFront", "Storage", "WebAuthn",
                "WebClient", "Wire",
            ] + providers.map { .target(name: $0.name) },
            swiftSettings: shipped
        ),
        .executableTarget(
            name: "gatehouse-bench",
            dependencies: [
                "CAllocations", "CArgon2", "COpenSSL", "CSQLite", "Crypto", "GatehouseCore", "GatehouseKit",
                "GatehouseTesting", "OpenIDConnectProvider", "PasswordProvider", "Storage", "WebAuthn", "Wire",
            ],
            swiftSettings: house
        ),

        .target(
            name: "GatehouseTesting",
            dependencies: ["COpenSSL", "Crypto", "GatehouseCore", "GatehouseKit", "Storage", "Wire"],
            path: "Tests/Support",
            swiftSettings: house
        ),

        // Tells other tests what the library makes of a response; never installed.
        .executableTarget(
            name: "webauthn-verdict",
            dependencies: ["Crypto", "WebAuthn", "Wire"],
            path: "Tests/Differential/Verdict",
            swiftSettings: house
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "gatehouse", "Crypto", "GatehouseCore", "OpenIDConnectProvider", "PasswordProvider",
                "TrustedDeviceProvider", "WebAuthn", "Wire",
            ],
            path: "Tests/Fuzz",
            exclude: ["run"],
            resources: [.copy("Corpus")],
            swiftSettings: house
        ),

        tests(of: "Wire", needs: ["Wire"]),
        tests(of: "Crypto", needs: ["Crypto", "GatehouseTesting", "Wire"]),
        .testTarget(
            name: "WebAuthnTests",
            dependencies: ["Crypto", "GatehouseTesting", "WebAuthn", "Wire"],
            resources: [.copy("Vectors")],
            swiftSettings: house
        ),
        tests(of: "GatehouseKit", needs: ["GatehouseKit", "GatehouseTesting", "Wire"]),
        .testTarget(
            name: "GatehouseClientTests",
            dependencies: ["gatehouse", "GatehouseClient", "GatehouseTesting"],
            swiftSettings: house
        ),
        tests(of: "GatehouseCore", needs: ["GatehouseCore", "GatehouseKit", "GatehouseTesting", "Storage", "Wire"]),
        tests(
            of: "HTTPFront",
            needs: [
                "HTTPFront", "GatehouseCore", "GatehouseKit", "GatehouseTesting", "Storage", "WebAuthn", "WebClient",
                "Wire",
            ] + providers.map { .target(name: $0.name) }
        ),
        tests(
            of: "OpenIDConnect",
            needs: ["OpenIDConnectProvider", "Crypto", "GatehouseKit", "GatehouseTesting", "WebClient", "Wire"]
        ),
        tests(
            of: "Passkey",
            needs: ["PasskeyProvider", "Crypto", "GatehouseKit", "GatehouseTesting", "WebAuthn", "Wire"]
        ),
        tests(of: "Password", needs: ["PasswordProvider", "Crypto", "GatehouseKit", "GatehouseTesting"]),
        tests(of: "RecoveryCodes", needs: ["RecoveryCodesProvider", "GatehouseKit", "GatehouseTesting"]),
        tests(of: "Storage", needs: ["Storage", "GatehouseCore", "GatehouseKit", "GatehouseTesting"]),
        .testTarget(
            name: "TrustedDeviceTests",
            dependencies: [
                "TrustedDeviceProvider", "Crypto", "GatehouseKit", "GatehouseTesting", "WebClient", "Wire",
            ],
            resources: [.copy("Vectors")],
            swiftSettings: house
        ),
    ] + providers
)
