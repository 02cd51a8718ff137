import GatehouseTesting
import Testing
import WebAuthn
import Wire

/// What is read of an issue.
struct MetadataPayloadTests {
    let site = MetadataSite()
    private let own = Base64URL(bytes: AttestationSite.aaguid)

    private func model(_ change: (inout MetadataDraft.Entry) -> Void) throws -> AuthenticatorModel? {
        try site.issue(MetadataDraft([.init(aaguid: AttestationSite.aaguid, change)])).model(aaguid: own)
    }

    @Test(arguments: [
        "[]", "{}", "{\"no\":7,\"entries\":[]}", "{\"no\":-1,\"nextUpdate\":\"2099-01-31\",\"entries\":[]}",
        "{\"no\":\"7\",\"nextUpdate\":\"2099-01-31\",\"entries\":[]}",
        "{\"no\":7,\"nextUpdate\":\"2099-02-31\",\"entries\":[]}",
        "{\"no\":7,\"nextUpdate\":\"2099-01-31\",\"entries\":{}}",
        "{\"no\":7,\"no\":8,\"nextUpdate\":\"2099-01-31\",\"entries\":[]}",
        "{\"no\":7,\"nextUpdate\":\"2099-01-31\",\"entries\":[]}x",
    ])
    func `a payload that is none is refused`(payload: String) throws {
        let text = try MetadataDraft { $0.payload = { $0 = payload } }.signed(by: site.publisher)
        #expect {
            try site.read(text)
        } throws: { error in
            if case MetadataFault.malformed = error { true } else { false }
        }
    }

    @Test func `an empty list of models is fine`() throws {
        #expect(try site.issue(MetadataDraft()).count == 0)
    }

    @Test func `a model has a name, and a picture of a kind that is shown`() throws {
        let png = "data:image/png;base64,iVBORw0KGgo="
        #expect(try model { $0.name = "Key 5" }?.name == "Key 5")
        #expect(try model { $0.icon = png }?.icon == png)
        for other in ["https://example.test/a.png", "data:text/html;base64,AAAA", "data:image/png;base64,<script>"] {
            #expect(try model { $0.icon = other }?.icon == nil)
        }
        let large = "data:image/png;base64," + String(repeating: "A", count: 32_768)
        #expect(try model { $0.icon = large }?.icon == nil)
    }

    @Test func `an entry that can't be read describes nothing, and the others stand`() throws {
        let entries: [MetadataDraft.Entry] = [
            .init(aaguid: AttestationSite.aaguid), .init { $0.aaguid = "01020304" },
            .init { $0.keyIdentifiers = ["00"] },
            .init(aaguid: [UInt8](repeating: 9, count: 16)) { $0.reports = [("REVOKED", "last week")] },
        ]
        let issue = try site.issue(MetadataDraft(entries))
        #expect(issue.count == 1 && issue.unreadableCount == 3)
        #expect(issue.model(aaguid: own) != nil)
        #expect(issue.model(aaguid: Base64URL(bytes: [UInt8](repeating: 9, count: 16))) == nil)
    }

    @Test func `authenticators of UAF are left out`() throws {
        let issue = try site.issue(MetadataDraft([.init()]))
        #expect(issue.count == 0 && issue.unreadableCount == 0)
    }

    @Test func `the newest report on certification counts, once its day has come`() throws {
        let reports: [(status: String, day: String?)] = [
            ("FIDO_CERTIFIED_L2", "2025-05-01"), ("NOT_FIDO_CERTIFIED", "2024-01-01"), ("FIDO_CERTIFIED", "2025-05-01"),
            ("FIDO_CERTIFIED_L1", "2024-06-01"), ("UPDATE_AVAILABLE", "2026-01-01"),
            ("NOT_FIDO_CERTIFIED", "2026-08-01"),
        ]
        let model = try #require(try model { $0.reports = reports })
        let days: [(Int64, CertificationLevel?)] = [
            (1_700_000_000, nil), (1_704_067_200, nil), (1_717_200_000, .l1), (1_746_057_600, .l2),
            (MetadataSite.time, .l2), (1_785_542_400, nil),
        ]
        for (time, level) in days { #expect(model.certification(at: time) == level) }
    }

    @Test func `an older issue is refused, and the same or a newer one is not`() throws {
        let metadata = AuthenticatorMetadata(try site.issue(MetadataDraft()))
        #expect(throws: MetadataFault.older(than: 7)) {
            try metadata.replace(with: site.issue(MetadataDraft { $0.number = 6 }))
        }
        #expect(metadata.current?.number == 7)
        for number in [7, 8] {
            try metadata.replace(with: site.issue(MetadataDraft { $0.number = number }))
            #expect(metadata.current?.number == number)
        }
    }
}
