import Foundation
import WebAuthn
import Wire

/// Reads one question a line, as JSON, and prints one verdict a line: `accepted`, or why not.
///
/// For comparison with other implementations, which are asked the same questions; see `Tests/Differential`.
@main
struct Verdict {
    static func main() {
        while let line = readLine() {
            print(answer(Data(line.utf8)))
        }
    }

    private static func answer(_ line: Data) -> String {
        let question: Question
        do { question = try JSONDecoder().decode(Question.self, from: line) } catch { return "unreadable question" }
        do {
            try question.ask()
            return "accepted"
        } catch let error as WebAuthnError {
            return name(of: error)
        } catch {
            return "malformedResponse"
        }
    }

    /// The case, and the reason inside it where there is one; without offsets and lengths, which make no class.
    private static func name(of error: WebAuthnError) -> String {
        switch error {
        case .malformedClientData(let fault): "malformedClientData.\(name(of: fault))"
        case .malformedAuthenticatorData(let fault): "malformedAuthenticatorData.\(name(of: fault))"
        case .malformedAttestationObject(let fault): "malformedAttestationObject.\(name(of: fault))"
        case .invalidClientData(let member): "invalidClientData.\(member.rawValue)"
        case .attestationUnsound(let fault): "attestationUnsound.\(caseName(of: fault))"
        case .attestationUntrusted(let fault): "attestationUntrusted.\(caseName(of: fault))"
        case .keyInvalid(.malformed(let fault)): "keyInvalid.malformed.\(name(of: fault))"
        case .keyInvalid(.unsound): "keyInvalid.unsound"
        case .keyInvalid(let fault): "keyInvalid.\(fault)"
        default: caseName(of: error)
        }
    }

    private static func name(of fault: WireFault) -> String { caseName(of: fault.reason) }

    private static func caseName(_ text: String) -> String { String(text.prefix { $0 != "(" }) }
    private static func caseName(of value: some Any) -> String { caseName("\(value)") }
}
