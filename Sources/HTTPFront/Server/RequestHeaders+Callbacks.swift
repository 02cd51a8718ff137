import CMicroHTTPD

// The functions that C calls for each header, with what the walk is for as their first argument.

func visitHeaderInSearch(
    _ search: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameSize: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueSize: Int
) -> MHD_Result {
    guard let search = unsafe search?.assumingMemoryBound(to: RequestHeaders.Search.self) else { return .NO }
    return unsafe search.pointee.visit(HeaderField(name: name, nameSize, value: value, valueSize)) ? .YES : .NO
}

func visitHeaderInScan(
    _ scan: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameSize: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueSize: Int
) -> MHD_Result {
    guard let scan = unsafe scan?.assumingMemoryBound(to: HeadScan.self) else { return .NO }
    return unsafe scan.pointee.visit(HeaderField(name: name, nameSize, value: value, valueSize)) ? .YES : .NO
}

func visitHeaderInList(
    _ list: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameSize: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueSize: Int
) -> MHD_Result {
    guard let list = unsafe list?.assumingMemoryBound(to: RequestHeaders.List.self) else { return .NO }
    unsafe list.pointee.visit(HeaderField(name: name, nameSize, value: value, valueSize))
    return .YES
}
