import Synchronization
import Wire

/// The connections that are open, counted against the limits.
final class ConnectionRegistry: Sendable {
    private let limits: HTTPLimits
    private let members = Mutex(Members())

    private struct Members {
        var connections: [ObjectIdentifier: PeerConnection] = [:]
        var perAddress: [IPAddress: Int] = [:]
    }

    init(_ limits: HTTPLimits) {
        self.limits = limits
    }

    enum Admission: Equatable {
        /// The only one at the moment.
        case first
        case further
        /// One too many, and not a member.
        case refused
    }

    func admit(_ connection: PeerConnection) -> Admission {
        members.withLock { members in
            guard members.connections.count < limits.connections else { return .refused }
            if case .address(let address) = connection.peer {
                let already = members.perAddress[address, default: 0]
                guard already < limit(for: address) else { return .refused }
                members.perAddress[address] = already + 1
            }
            members.connections[ObjectIdentifier(connection)] = connection
            return members.connections.count == 1 ? .first : .further
        }
    }

    private func limit(for address: IPAddress) -> Int {
        let isProxy = address.isLoopback || limits.proxies.contains { $0.contains(address) }
        return isProxy ? limits.connectionsPerProxy : limits.connectionsPerAddress
    }

    func remove(_ connection: PeerConnection) {
        members.withLock { members in
            guard members.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
            guard case .address(let address) = connection.peer else { return }
            let left = members.perAddress[address, default: 1] - 1
            members.perAddress[address] = left > 0 ? left : nil
        }
    }

    /// Those open at this moment.
    var all: [PeerConnection] {
        members.withLock { Array($0.connections.values) }
    }

    var isEmpty: Bool { members.withLock { $0.connections.isEmpty } }
}
