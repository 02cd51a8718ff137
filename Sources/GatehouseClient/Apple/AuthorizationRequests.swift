#if canImport(AuthenticationServices)
    public import AuthenticationServices

    extension SignInCeremony {
        /// One request for each kind that the system sheet can show, for an `ASAuthorizationController`.
        ///
        /// A password and an Apple ID appear there only if this device has one for the app.
        public func authorizationRequests() -> [ASAuthorizationRequest] {
            requests.compactMap { request in
                switch request {
                case .passkey(let passkey): Self.assertionRequest(passkey)
                case .password: ASAuthorizationPasswordProvider().createRequest()
                case .apple(let apple): Self.appleRequest(apple)
                case .trustedDevice, .other: nil
                }
            }
        }

        private static func assertionRequest(_ passkey: PasskeyRequest) -> ASAuthorizationRequest {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: passkey.rpId)
            let request = provider.createCredentialAssertionRequest(challenge: passkey.challenge.bytes)
            request.userVerificationPreference = .init(rawValue: passkey.userVerification)
            request.allowedCredentials = passkey.allowCredentials.map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0.id.bytes)
            }
            return request
        }

        private static func appleRequest(_ apple: CredentialRequest.AppleRequest) -> ASAuthorizationRequest {
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.nonce = apple.nonce
            return request
        }
    }

    extension PasskeyRegistration {
        /// For an `ASAuthorizationController`.
        public func authorizationRequest() -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.rp.id)
            return provider.createCredentialRegistrationRequest(
                challenge: options.challenge.bytes,
                name: options.user.name,
                userID: options.user.id.bytes
            )
        }
    }

    extension SignInCredential {
        /// What `authorizationController(controller:didCompleteWithAuthorization:)` hands over.
        ///
        /// - Returns: `nil` for a kind that the gateway was not asked for.
        public init?(_ credential: any ASAuthorizationCredential) {
            switch credential {
            case let passkey as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                self = .passkey(PasskeyAssertion(passkey))
            case let password as ASPasswordCredential:
                self = .password(identifier: password.user, password: password.password)
            case let apple as ASAuthorizationAppleIDCredential:
                guard let token = apple.identityToken.flatMap({ String(data: $0, encoding: .utf8) }) else { return nil }
                self = .apple(
                    identityToken: token,
                    authorizationCode: apple.authorizationCode.flatMap { String(data: $0, encoding: .utf8) },
                    name: apple.fullName.map { PersonNameComponentsFormatter().string(from: $0) }
                )
            default: return nil
            }
        }
    }

    extension PasskeyAssertion {
        public init(_ credential: ASAuthorizationPlatformPublicKeyCredentialAssertion) {
            self.init(
                credentialID: Base64URLData(credential.credentialID),
                rawClientDataJSON: Base64URLData(credential.rawClientDataJSON),
                rawAuthenticatorData: Base64URLData(credential.rawAuthenticatorData),
                signature: Base64URLData(credential.signature),
                userID: Base64URLData(credential.userID)
            )
        }
    }

    extension PasskeyAttestation {
        /// - Returns: `nil` where the system gave no attestation object.
        public init?(_ credential: ASAuthorizationPlatformPublicKeyCredentialRegistration) {
            guard let object = credential.rawAttestationObject else { return nil }
            self.init(
                credentialID: Base64URLData(credential.credentialID),
                rawClientDataJSON: Base64URLData(credential.rawClientDataJSON),
                rawAttestationObject: Base64URLData(object)
            )
        }
    }
#endif
