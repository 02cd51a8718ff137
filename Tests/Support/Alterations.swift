/// Changes to what an authenticator and its client would say, each before it is hashed, signed or encoded further.
///
/// None by default. What follows a change is made for the changed value, so that one thing is wrong at a time.
public struct Alterations: Sendable {
    /// A member of the client data: its name, and its value as JSON text.
    public typealias Member = (name: String, value: String)

    public var clientData: @Sendable (inout [Member]) -> Void = { _ in }
    public var clientDataJSON: @Sendable (inout [UInt8]) -> Void = { _ in }
    public var credentialID: @Sendable (inout [UInt8]) -> Void = { _ in }
    public var coseKey: @Sendable (inout CBORItem) -> Void = { _ in }
    public var flags: @Sendable (inout UInt8) -> Void = { _ in }
    public var signCount: @Sendable (inout UInt32) -> Void = { _ in }
    /// Extension outputs as bytes; given any, the flag for them is set too.
    public var extensions: [UInt8] = []
    public var authenticatorData: @Sendable (inout [UInt8]) -> Void = { _ in }
    public var attestationObject: @Sendable (inout CBORItem) -> Void = { _ in }
    public var signature: @Sendable (inout [UInt8]) -> Void = { _ in }
    public var registration: @Sendable (inout RegistrationAnswer) -> Void = { _ in }
    public var assertion: @Sendable (inout AssertionAnswer) -> Void = { _ in }

    public init() {}

    public init(_ change: (inout Alterations) -> Void) { change(&self) }

    /// Sets a member of the client data to a JSON text, or removes it.
    public mutating func setClientData(_ name: String, to value: String?) {
        clientData = { members in
            let place = members.firstIndex { $0.name == name }
            if let place { members.remove(at: place) }
            if let value { members.insert((name, value), at: place ?? members.endIndex) }
        }
    }
}
