/// A key that verifies signatures of one algorithm.
///
/// Each conforming type is one algorithm in one file, and checks the key when it is made: what can't be a sound key is a
/// ``KeyFault`` then, and not a mystery at the first signature.
public protocol PublicKey: Sendable {
    /// Whether `signature` was made over `message` with the matching private key.
    ///
    /// A malformed signature is an invalid one; nothing about it is an error.
    func isValid(signature: [UInt8], over message: [UInt8]) -> Bool
}

/// Why bytes from outside aren't a key.
public enum KeyFault: Error, Equatable, Sendable {
    /// A coordinate, modulus or exponent of a length that the algorithm doesn't have.
    case length(Int)
    /// A number that is out of the range of its field, or not in its one encoding.
    case notCanonical
    /// Coordinates that aren't those of a point of the curve.
    case notOnCurve
    /// A point of so small an order that it would verify signatures nobody made.
    case smallOrder
    /// A modulus of more or fewer bits than are accepted, or an even one.
    case modulus(bits: Int)
    /// A public exponent that is even, too small or too large.
    case exponent
}
