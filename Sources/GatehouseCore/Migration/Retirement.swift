/// What an account could still sign in with if its password were gone.
public struct RetirementFacts: Equatable, Sendable {
    public struct Passkey: Equatable, Sendable {
        /// Whether it ever signed in.
        public let isUsed: Bool
        /// Whether it is still there when the device is lost.
        public let outlivesDevice: Bool

        public init(isUsed: Bool, outlivesDevice: Bool) {
            self.isUsed = isUsed
            self.outlivesDevice = outlivesDevice
        }
    }

    public let passkeys: [Passkey]
    /// How many other credentials sign it in, passwords not counted.
    public let others: Int
    /// Whether it has a way back in, such as recovery codes.
    public let canRecover: Bool

    public init(passkeys: [Passkey], others: Int = 0, canRecover: Bool = false) {
        self.passkeys = passkeys
        self.others = others
        self.canRecover = canRecover
    }
}

/// Whether a password can go without locking anybody out.
public enum Retirement: String, Sendable {
    case ready
    case noPasskey = "no_passkey"
    /// It has one that nobody knows to work.
    case neverUsed = "passkey_never_used"
    /// What it has is gone with one device.
    case onlyOne = "only_one_device"

    public init(_ facts: RetirementFacts) {
        guard !facts.passkeys.isEmpty else {
            self = .noPasskey
            return
        }
        guard facts.passkeys.contains(where: \.isUsed) else {
            self = .neverUsed
            return
        }
        let isSafe =
            facts.passkeys.count + facts.others > 1 || facts.canRecover
            || facts.passkeys.contains { $0.isUsed && $0.outlivesDevice }
        self = isSafe ? .ready : .onlyOne
    }
}
