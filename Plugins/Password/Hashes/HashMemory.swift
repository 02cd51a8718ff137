import CArgon2
import Glibc
import Synchronization

/// Memory for hashes, kept from one to the next.
///
/// From `malloc` it comes sometimes from what an earlier hash left, and sometimes from the kernel page by page: measured,
/// every other hash then takes a third longer. Kept here it is always warm, in huge pages where there are some; and the
/// kernel may take it back at any time, since it is marked as free while nobody hashes.
private let kept = Mutex<[Block]>([])

/// How many blocks are kept: as many hashes as run at once on a small machine.
private let keptLimit = 4

@safe
private struct Block: @unchecked Sendable {
    // Sound: whoever took it out of the list is the only one who has it.
    let start: UnsafeMutableRawPointer
    let count: Int
}

/// Lends libargon2 the memory for one hash; called on the thread that hashes.
func takeHashMemory(_ memory: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ count: Int) -> CInt {
    let block = kept.withLock { blocks in
        blocks.lastIndex { $0.count == count }.map { blocks.remove(at: $0) }
    }
    guard let memory = unsafe memory, let start = unsafe block?.start ?? map(count) else {
        return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
    }
    unsafe memory.pointee = start.assumingMemoryBound(to: UInt8.self)
    return ARGON2_OK.rawValue
}

/// Takes the memory back, which libargon2 has cleared by now.
func returnHashMemory(_ memory: UnsafeMutablePointer<UInt8>?, _ count: Int) {
    guard let memory = unsafe memory else { return }
    unsafe madvise(memory, count, MADV_FREE)
    let isKept = kept.withLock { blocks in
        guard blocks.count < keptLimit else { return false }
        unsafe blocks.append(Block(start: memory, count: count))
        return true
    }
    if !isKept { unsafe munmap(memory, count) }
}

private func map(_ count: Int) -> UnsafeMutableRawPointer? {
    let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { return nil }
    unsafe madvise(start, count, MADV_HUGEPAGE)
    return unsafe start
}
