#if canImport(CryptoKit) && canImport(LocalAuthentication)
    public import CryptoKit
    public import Foundation
    public import LocalAuthentication
    import Security

    /// A key in the Secure Enclave, which asks for a finger or a face before it signs.
    public struct SecureEnclaveKey: DeviceKey {
        private let key: SecureEnclave.P256.Signing.PrivateKey

        /// What to keep, and to find the key again with; of no use on any other device.
        public var dataRepresentation: Data { key.dataRepresentation }

        public var publicKey: Data { key.publicKey.x963Representation }

        /// Makes a key.
        ///
        /// - Parameter flags: `.biometryCurrentSet` ends it when fingers or faces change, `.biometryAny` doesn't, `.userPresence`
        ///   takes the passcode as well.
        public init(flags: SecAccessControlCreateFlags = .biometryCurrentSet) throws {
            var error: Unmanaged<CFError>?
            let access = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                [.privateKeyUsage, flags],
                &error
            )
            guard let access else { throw error?.takeRetainedValue() ?? CocoaError(.featureUnsupported) }
            key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: access)
        }

        /// Finds a key again.
        ///
        /// - Parameter context: With the reason that the prompt shows (`localizedReason`).
        public init(dataRepresentation: Data, context: LAContext) throws {
            key = try SecureEnclave.P256.Signing.PrivateKey(
                dataRepresentation: dataRepresentation,
                authenticationContext: context
            )
        }

        public func sign(_ message: Data) async throws -> Data { try key.signature(for: message).derRepresentation }
    }
#endif
