import GatehouseKit
import WebClient
import Wire

extension PublishedSource {
    /// - Returns: `nil` where no file is named.
    static func read(_ section: ConfigurationSection) -> PublishedSource? {
        let url = section.value("url", "an https URL") { isFetchable($0) ? $0 : nil }
        let refresh = section.duration("refresh", in: .seconds(1)...(.days(30)), default: .days(1))
        guard let file = section.text("file") else {
            if url != nil { section.problem(nil, "file", "must say where to keep what is fetched") }
            return nil
        }
        return PublishedSource(file: file, url: url, refresh: refresh)
    }

    private static func isFetchable(_ text: String) -> Bool {
        guard let url = WebURL(text) else { return false }
        return url.origin.scheme == .https
    }
}
