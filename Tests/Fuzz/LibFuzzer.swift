import Glibc

/// What libFuzzer calls once, before anything else.
@c(LLVMFuzzerInitialize)
func initializeFuzzer(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    _ = chosenTarget
    chosenTarget.largeInputs.forEach(runTimed)
    return 0
}

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    runTimed(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// One program has all targets; the environment says which one it is to be.
private let chosenTarget: FuzzTarget = {
    guard let name = getenv("GATEHOUSE_FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
        fatalError("GATEHOUSE_FUZZ_TARGET: one of \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
}()

/// In nanoseconds of processor time, for 64 KiB.
///
/// Stands for 100 ms without the sanitizer, under which all takes three times as long or more.
private let limit = 300_000_000

private func runTimed(_ input: [UInt8]) {
    let begun = processorTime()
    chosenTarget.run(input)
    let spent = processorTime() - begun
    demand(spent <= limit, "slow input: \(spent / 1_000_000) ms for \(input.count) bytes")
}

private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
