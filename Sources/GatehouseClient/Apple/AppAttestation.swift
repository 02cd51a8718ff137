#if canImport(DeviceCheck) && canImport(CryptoKit)
    import CryptoKit
    import DeviceCheck
    public import Foundation

    extension DeviceAttestation {
        /// Has Apple attest that this is the genuine app, over the client data; for ``GatehouseClient/enroll(_:key:attest:)``.
        ///
        /// The key that App Attest makes for it is used once, and not the device's own.
        public static func appAttest(of clientData: Data) async throws -> DeviceAttestation {
            let service = DCAppAttestService.shared
            let key = try await service.generateKey()
            let object = try await service.attestKey(key, clientDataHash: Data(SHA256.hash(data: clientData)))
            return .appAttest(Base64URLData(object))
        }
    }
#endif
