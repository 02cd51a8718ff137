public import FoundationEssentials
public import GatehouseKit

extension ProviderContract where Provider: OfferingProvider {
    /// The offer in a ceremony as it is sent; `nil` where the provider stays out.
    public func offer(in draft: CeremonyDraft) throws -> Data? {
        try provider.offer(to: draft.visitor, ceremony: draft.ceremony).map { try JSONValue.encode($0) }
    }

    /// Offers to the unknown can't be told from offers to the known.
    ///
    /// They have one shape, every size that a known one has occurs among the unknown ones, and they cost the same number
    /// of reads. Asked twice in one ceremony, the answer is the same.
    ///
    /// - Parameter unknown: Enough of them for every form that answers to them take.
    public func offersToldApart(known: [CeremonyDraft], unknown: [CeremonyDraft]) throws -> [String] {
        let toKnown = try known.map(offered)
        let toUnknown = try unknown.map(offered)
        let shapes = Set((toKnown + toUnknown).map(\.shape))
        let reads = Set((toKnown + toUnknown).map(\.reads))
        let sizes = Set(toUnknown.map(\.size))
        let changed = try unknown.filter { try offer(in: $0) != offer(in: $0) }
        return (shapes.count > 1 ? ["shapes: \(shapes.sorted())"] : [])
            + (reads.count > 1 ? ["reads: \(reads.sorted())"] : [])
            + toKnown.filter { !sizes.contains($0.size) }.map { "a known one of \($0.size) bytes, unknown: \(sizes)" }
            + changed.map { "the answer to \($0.identifier?.description ?? "a stranger") changes" }
    }

    private func offered(in draft: CeremonyDraft) throws -> (shape: String, size: Int, reads: Int) {
        let before = vault.reads
        let offer = try offer(in: draft) ?? Data()
        let reads = vault.reads - before
        return (offer.isEmpty ? "" : try JSONValue(parsing: offer).shape, offer.count, reads)
    }

    /// A vault that fails is an outage for an offer too, unless the offer needs no vault.
    public func misreportedOutages(inOffersFor drafts: [CeremonyDraft]) throws -> [String] {
        try drafts.flatMap { draft in
            let reads = try offered(in: draft).reads
            return (0..<reads).compactMap { count in
                vault.readsLeft = count
                defer { vault.readsLeft = nil }
                return (try? offer(in: draft)).map { _ in "offered something, the vault failing after \(count) reads" }
            }
        }
    }
}
