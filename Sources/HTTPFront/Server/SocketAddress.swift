import CMicroHTTPD
import Glibc
import Wire

/// Conversion between our addresses and the kernel's.
enum SocketAddress {
    /// Lends the kernel's form of an address.
    ///
    /// - Returns: `nil` for a path longer than a socket address can hold (107 bytes).
    static func with<R>(_ address: ListenAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
        switch address {
        case .tcp(let address, let port):
            if let bits = address.ipv4 {
                unsafe lend(v4(bits, port: port), body)
            } else {
                unsafe lend(v6(address.groups, port: port), body)
            }
        case .unix(let path): unix(path).map { unsafe lend($0, body) }
        }
    }

    /// The address in a `sockaddr`, whatever its family.
    ///
    /// - Parameter pointer: Must hold as many bytes as its family has.
    static func read(_ pointer: UnsafePointer<sockaddr>) -> (address: IPAddress, port: UInt16)? {
        let raw = unsafe UnsafeRawPointer(pointer)
        switch unsafe Int32(pointer.pointee.sa_family) {
        case AF_INET:
            let v4 = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            return (IPAddress(ipv4: UInt32(bigEndian: v4.sin_addr.s_addr)), UInt16(bigEndian: v4.sin_port))
        case AF_INET6:
            let v6 = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            let groups = unsafe withUnsafeBytes(of: v6.sin6_addr) { bytes in
                (0..<8).map { unsafe UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)) }
            }
            return IPAddress(groups: groups).map { ($0, UInt16(bigEndian: v6.sin6_port)) }
        default: return nil
        }
    }

    private static func lend<T, R>(_ value: T, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        unsafe withUnsafePointer(to: value) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<T>.size))
            }
        }
    }

    private static func v4(_ bits: UInt32, port: UInt16) -> sockaddr_in {
        var value = sockaddr_in()
        value.sin_family = sa_family_t(AF_INET)
        value.sin_port = port.bigEndian
        value.sin_addr.s_addr = bits.bigEndian
        return value
    }

    private static func v6(_ groups: [UInt16], port: UInt16) -> sockaddr_in6 {
        var value = sockaddr_in6()
        value.sin6_family = sa_family_t(AF_INET6)
        value.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &value.sin6_addr) { bytes in
            for (index, group) in groups.enumerated() {
                unsafe bytes.storeBytes(of: group.bigEndian, toByteOffset: 2 * index, as: UInt16.self)
            }
        }
        return value
    }

    private static func unix(_ path: String) -> sockaddr_un? {
        var value = sockaddr_un()
        value.sun_family = sa_family_t(AF_UNIX)
        // One byte less: the path must end in a NUL, which the empty value already holds.
        let fits = path.utf8.count < MemoryLayout.size(ofValue: value.sun_path)
        guard fits else { return nil }
        unsafe withUnsafeMutableBytes(of: &value.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return value
    }
}
