import GatehouseCore
import GatehouseKit

extension SQLTransaction: SettingReader, SettingWriter {
    func setting(_ name: SettingName) throws(ProviderFault) -> [UInt8]? {
        try first("SELECT value FROM setting WHERE name = $1", [.text(name.rawValue)]) { $0.blob(0) }
    }

    func insert(_ value: [UInt8], for name: SettingName) throws(ProviderFault) -> Bool {
        try changesOne(
            "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.text(name.rawValue), .blob(value)]
        )
    }

    func replace(_ value: [UInt8], for name: SettingName) throws(ProviderFault) {
        try connection.execute(
            """
            INSERT INTO setting (name, value) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """,
            [.text(name.rawValue), .blob(value)]
        )
    }
}
