import GatehouseKit
import Glibc

/// Asks for a password without showing it.
enum PasswordPrompt {
    /// From the terminal, twice; or, where there is none, one line of standard input.
    static func newPassword() throws(CommandFailure) -> Secret {
        guard isatty(STDIN_FILENO) == 1 else {
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw CommandFailure(.data, "standard input has no password in its first line; or say --no-password")
            }
            return Secret(line)
        }
        let first = try ask("Password: ")
        guard try ask("Again: ") == first else { throw CommandFailure(.data, "the two passwords differ") }
        return Secret(first)
    }

    private static func ask(_ prompt: String) throws(CommandFailure) -> String {
        var settings = termios()
        unsafe tcgetattr(STDIN_FILENO, &settings)
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer { unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        writeError(prompt, terminator: "")
        defer { writeError("") }
        guard let line = readLine(strippingNewline: true) else { throw CommandFailure(.data, "no password was given") }
        return line
    }
}
