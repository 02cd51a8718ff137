import CPSL

/// Where the names that people can register begin, by the list that browsers use (publicsuffix.org), through libpsl.
enum PublicSuffix {
    /// The domain that somebody registered: `example.co.uk` for `login.example.co.uk`.
    ///
    /// - Returns: `nil` for a suffix itself, such as `co.uk`, and for a name without one, such as `localhost`.
    static func registrableDomain(of host: String) -> String? {
        guard let list = unsafe psl_builtin() else { return nil }
        // What libpsl returns points into the name, so it is copied while that is there.
        return unsafe host.withCString { name in
            guard let domain = unsafe psl_registrable_domain(list, name) else { return nil }
            return unsafe String(cString: domain)
        }
    }
}
