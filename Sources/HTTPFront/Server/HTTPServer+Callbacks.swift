import CMicroHTTPD
import Glibc

// The functions that C calls, on threads of its own. File-scope functions and not closures: a closure written in
// isolated code inherits the isolation, and traps when C calls it on another thread.

/// A connection begins or ends.
func connectionChanged(
    _ context: UnsafeMutableRawPointer?,
    _ handle: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ change: MHD_ConnectionNotificationCode
) {
    guard let core = unsafe core(context), let handle = unsafe handle, let slot = unsafe slot else { return }
    if change == .CONNECTION_NOTIFY_STARTED {
        let connection = unsafe core.opened(mhd_socket_of(handle), from: peer(of: handle, core))
        unsafe slot.pointee = Unmanaged.passRetained(connection).toOpaque()
    } else if let kept = unsafe slot.pointee {
        unsafe slot.pointee = nil
        core.closed(unsafe Unmanaged<PeerConnection>.fromOpaque(kept).takeRetainedValue())
    }
}

private func peer(of handle: OpaquePointer, _ core: ServerCore) -> Peer {
    guard let address = unsafe mhd_peer_of(handle) else { return core.peerWithoutAddress }
    return unsafe SocketAddress.read(address).map { .address($0.address) } ?? core.peerWithoutAddress
}

/// The request line is in: the only moment at which the target can be seen as it was sent.
///
/// - Returns: The exchange, owned by libmicrohttpd until ``requestEnded(_:_:_:_:)``.
func requestLineArrived(
    _ context: UnsafeMutableRawPointer?,
    _ target: UnsafePointer<CChar>?,
    _ handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let handle = unsafe handle, let kept = unsafe mhd_context_of(handle) else { return nil }
    let connection = unsafe Unmanaged<PeerConnection>.fromOpaque(kept).takeUnretainedValue()
    let bytes = unsafe UnsafeBufferPointer(
        start: UnsafeRawPointer(target)?.assumingMemoryBound(to: UInt8.self),
        count: target.map { unsafe strlen($0) } ?? 0
    )
    let exchange = unsafe Exchange(handle, connection: connection, target: bytes)
    connection.begin(exchange)
    unsafe leaveNoQuery(bytes)
    return unsafe Unmanaged.passRetained(exchange).toOpaque()
}

/// Ends the query where it begins.
///
/// libmicrohttpd would cut it into arguments, each with a record in the connection's memory, until a long query leaves
/// no room for the headers. It looked for the question mark already, so it now finds an empty query. The memory is its
/// read buffer; only the type says `const`.
private func leaveNoQuery(_ target: UnsafeBufferPointer<UInt8>) {
    guard let start = target.baseAddress else { return }
    guard let mark = unsafe target.firstIndex(of: UInt8(ascii: "?")) else { return }
    unsafe UnsafeMutablePointer(mutating: start)[mark + 1] = 0
}

/// Leaves escapes alone; the target is for others to read.
func keepEscapes(
    _ context: UnsafeMutableRawPointer?,
    _ handle: OpaquePointer?,
    _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    unsafe text.map { unsafe strlen($0) } ?? 0
}

/// The head is in, or a part of the body, or all; or a suspended connection goes on.
func requestAdvanced(
    _ context: UnsafeMutableRawPointer?,
    _ handle: OpaquePointer?,
    _ target: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?,
    _ part: UnsafePointer<CChar>?,
    _ partSize: UnsafeMutablePointer<Int>?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let core = unsafe core(context), let handle = unsafe handle else { return .NO }
    guard let kept = unsafe slot?.pointee, let partSize = unsafe partSize else { return .NO }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(kept).takeUnretainedValue()
    if exchange.stage == .head {
        let head = unsafe scan(exchange, handle, method, target, version)
        return unsafe core.headArrived(exchange, handle, head)
    }
    guard unsafe partSize.pointee > 0 else { return unsafe core.requestComplete(exchange, handle) }
    let bytes = unsafe UnsafeRawBufferPointer(start: part, count: partSize.pointee)
    unsafe partSize.pointee = 0
    return unsafe core.bodyArrived(exchange, bytes)
}

/// - Returns: `nil` for a head that isn't in order.
private func scan(
    _ exchange: Exchange,
    _ handle: OpaquePointer,
    _ method: UnsafePointer<CChar>?,
    _ target: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?
) -> HeadScan? {
    guard let method = unsafe method, let target = unsafe target, let version = unsafe version else { return nil }
    var scan = unsafe HeadScan(
        method: method,
        target: target,
        targetSize: exchange.targetByteCount,
        version: version
    )
    unsafe RequestHeaders(handle).scan(&scan)
    guard let parsed = unsafe HTTPMethod(token: bytes(method)) else { return nil }
    exchange.method = parsed
    let end = unsafe UnsafeRawPointer(method) + mhd_head_size_of(handle)
    return unsafe scan.problem(end: end) == nil ? scan : nil
}

private func bytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).assumingMemoryBound(to: UInt8.self)
}

/// The answer was sent, or the connection ended before.
func requestEnded(
    _ context: UnsafeMutableRawPointer?,
    _ handle: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    guard let core = unsafe core(context), let kept = unsafe slot?.pointee else { return }
    unsafe slot?.pointee = nil
    core.finished(unsafe Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue())
}

private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
}

/// The entry of the reaper's thread, which owns the reference it is given.
func runReaper(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<Reaper>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
