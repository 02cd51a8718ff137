import HTTPFront
import WebAuthn

/// Reads which apps belong to the site; the environment goes before the file.
struct AppsReader {
    let environment: [String: String]
    let problems: ConfigurationProblems

    func read(_ section: ConfigurationSection) -> WellKnownDocuments.Apps {
        let team = environment["APPLE_TEAM_ID"] ?? section.text("apple_team_id")
        let stated = section.texts("ios_bundle_identifiers")
        let bundles = environment["IOS_BUNDLE_IDENTIFIER"].map { [$0] } ?? stated
        let package = environment["ANDROID_PACKAGE_NAME"] ?? section.text("android_package_name")
        let listed = section.texts("android_sha256_cert_fingerprints")
        let fingerprints =
            environment["ANDROID_SHA256_CERT_FINGERPRINTS"]
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } } }
            ?? listed
        section.finish()
        check(team, bundles, package, fingerprints, section.line)
        return WellKnownDocuments.Apps(
            apple: team.map { team in bundles.map { "\(team).\($0)" } } ?? [],
            androidPackage: package,
            androidFingerprints: fingerprints.map { $0.uppercased() }
        )
    }

    private func check(
        _ team: String?,
        _ bundles: [String],
        _ package: String?,
        _ fingerprints: [String],
        _ line: Int?
    ) {
        if let team, !Self.isTeam(team) {
            problems.add(
                line,
                "apps.apple_team_id",
                "must be ten capital letters and digits, not \"\(team.prefix(32))\""
            )
        }
        if team != nil, bundles.isEmpty {
            problems.add(line, "apps.ios_bundle_identifiers", "a team ID needs the bundle identifier of an app")
        }
        if team == nil, !bundles.isEmpty {
            problems.add(line, "apps.apple_team_id", "a bundle identifier needs the team ID it belongs to")
        }
        for identifier in bundles + (package.map { [$0] } ?? []) where !Self.isReverseDomain(identifier) {
            problems.add(
                line,
                "apps",
                "\"\(identifier.prefix(64))\" is not an app's identifier such as com.example.app"
            )
        }
        for fingerprint in fingerprints where AndroidOrigin(certificateFingerprint: fingerprint) == nil {
            problems.add(
                line,
                "apps.android_sha256_cert_fingerprints",
                "must be exactly 32 hexadecimal bytes separated by colons"
            )
        }
        if package == nil, !fingerprints.isEmpty {
            problems.add(line, "apps.android_package_name", "certificate fingerprints need the package they sign")
        }
    }

    static func isTeam(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    }

    private static func isReverseDomain(_ text: String) -> Bool {
        text.contains(".")
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45
                            || $0 == 95
                    }
            }
    }
}
