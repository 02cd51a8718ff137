import Dispatch
import GatehouseKit
import Synchronization

/// One transaction that waits for the writer thread, and the caller who waits for it.
final class WriteJob: Sendable {
    /// Runs the body; it may be run again, should the transaction around it be lost.
    private let body: @Sendable (SQLTransaction) -> Bool
    private let done = DispatchSemaphore(value: 0)
    private let fault = Mutex<ProviderFault?>(nil)

    /// - Parameter body: Returns whether what it did is to be kept.
    init(_ body: @escaping @Sendable (SQLTransaction) -> Bool) {
        self.body = body
    }

    func run(_ transaction: SQLTransaction) -> Bool { body(transaction) }

    /// Lets the caller go on.
    ///
    /// - Parameter fault: Why nothing of it is durable; `nil` if all of it is.
    func finish(_ fault: ProviderFault?) {
        self.fault.withLock { $0 = fault }
        done.signal()
    }

    func wait() throws(ProviderFault) {
        done.wait()
        if let fault = fault.withLock({ $0 }) { throw fault }
    }
}

/// Where a job leaves its result for the caller.
final class ResultBox<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, SignInError>?>(nil)

    func set(_ value: Result<Value, SignInError>) { result.withLock { $0 = value } }

    func take() throws(SignInError) -> Value {
        guard let result = result.withLock({ $0 }) else {
            throw .unavailable(ProviderFault("run a transaction", code: 0))
        }
        return try result.get()
    }
}

extension SignInError {
    /// What a transaction's body threw, which is a refusal or a fault; anything else is a defect.
    init(thrown error: any Error) {
        switch error {
        case let refusal as Refusal: self = .refused(refusal)
        case let fault as ProviderFault: self = .unavailable(fault)
        case let error as SignInError: self = error
        default: self = .unavailable(ProviderFault("run a transaction", code: 0))
        }
    }
}
