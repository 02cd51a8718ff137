/// Why a server did not start.
public enum HTTPServerError: Error, Equatable {
    /// Another process listens there.
    case addressInUse(ListenAddress)
    case cannotListen(ListenAddress, errno: Int32)
    /// libmicrohttpd did not start its threads.
    case cannotStart
}
