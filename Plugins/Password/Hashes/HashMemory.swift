import CArgon2
import Glibc

/// Lends libargon2 the memory for one hash, in huge pages where there are some: that is a quarter of the page faults.
///
/// From the kernel and back to it each time, so that the process keeps nothing of a hash that was larger than ours.
func takeHashMemory(_ memory: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ count: Int) -> CInt {
    let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory = unsafe memory, let start = unsafe start, unsafe start != MAP_FAILED else {
        return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
    }
    unsafe madvise(start, count, MADV_HUGEPAGE)
    unsafe memory.pointee = start.assumingMemoryBound(to: UInt8.self)
    return ARGON2_OK.rawValue
}

/// Takes the memory back, which libargon2 has cleared by now.
func returnHashMemory(_ memory: UnsafeMutablePointer<UInt8>?, _ count: Int) {
    guard let memory = unsafe memory else { return }
    unsafe munmap(memory, count)
}
