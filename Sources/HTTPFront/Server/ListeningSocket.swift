import Glibc
import Wire

/// A socket that listens, made here rather than by libmicrohttpd so that an error says what it was.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    /// With the port that the kernel chose, where that was left to it.
    let address: ListenAddress

    init(_ wanted: ListenAddress) throws(HTTPServerError) {
        let descriptor = try Self.bound(to: wanted)
        guard listen(descriptor, SOMAXCONN) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.fault(wanted, code)
        }
        self.descriptor = descriptor
        address = Self.named(descriptor) ?? wanted
    }

    /// Refuses new connections from now on, and takes the file of a Unix socket away.
    ///
    /// The descriptor keeps its number, which libmicrohttpd's threads go on using, but becomes a socket that nobody can
    /// connect to; the kernel closes the one that listened, and takes it out of their epoll sets. Neither of the plain
    /// ways works in 0.9.75: `MHD_quiesce_daemon` races with a busy pool and then aborts the process, and a socket that
    /// is only shut down makes the threads spin.
    func refuseConnections() {
        let mute = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        if mute >= 0, dup2(mute, descriptor) >= 0 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            close(mute)
        } else {
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        if case .unix(let path) = address { unsafe unlink(path) }
    }

    private static func bound(to address: ListenAddress) throws(HTTPServerError) -> Int32 {
        let descriptor = try open(for: address)
        let code = bind(descriptor, to: address)
        guard code != 0 else { return descriptor }
        if code == EADDRINUSE, case .unix(let path) = address, isStale(path) {
            unsafe unlink(path)
            if bind(descriptor, to: address) == 0 { return descriptor }
        }
        close(descriptor)
        throw fault(address, code)
    }

    private static func open(for address: ListenAddress) throws(HTTPServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family(of: address), type, 0)
        guard descriptor >= 0 else { throw fault(address, errno) }
        switch address {
        case .tcp(let host, _):
            enable(SO_REUSEADDR, at: SOL_SOCKET, of: descriptor)
            if !host.isIPv4 { enable(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), of: descriptor) }
        case .unix:
            // Before bind, which makes the file with the mode of the socket: it is never open to others, not even
            // for a moment.
            fchmod(descriptor, 0o660)
        }
        return descriptor
    }

    private static func family(of address: ListenAddress) -> Int32 {
        switch address {
        case .tcp(let host, _): host.isIPv4 ? AF_INET : AF_INET6
        case .unix: AF_UNIX
        }
    }

    private static func enable(_ option: Int32, at level: Int32, of descriptor: Int32) {
        var on: Int32 = 1
        unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// - Returns: Zero, or the error.
    private static func bind(_ descriptor: Int32, to address: ListenAddress) -> Int32 {
        let result = unsafe SocketAddress.with(address) { pointer, size in
            unsafe Glibc.bind(descriptor, pointer, size) == 0 ? 0 : errno
        }
        // The umask may have taken the group's rights from the file.
        if result == 0, case .unix(let path) = address { unsafe chmod(path, 0o660) }
        return result ?? ENAMETOOLONG
    }

    /// Whether a file is a socket on which nothing listens any more.
    private static func isStale(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        let code = unsafe SocketAddress.with(.unix(path: path)) { pointer, size in
            unsafe connect(probe, pointer, size) == 0 ? 0 : errno
        }
        return code == ECONNREFUSED
    }

    private static func named(_ descriptor: Int32) -> ListenAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size) == 0 ? SocketAddress.read($0) : nil
            }
        }
        return found.map { .tcp($0.address, port: $0.port) }
    }

    private static func fault(_ address: ListenAddress, _ code: Int32) -> HTTPServerError {
        code == EADDRINUSE ? .addressInUse(address) : .cannotListen(address, errno: code)
    }
}
