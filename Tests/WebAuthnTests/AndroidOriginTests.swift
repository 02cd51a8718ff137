import Testing
import WebAuthn

struct AndroidOriginTests {
    static let bytes = ["12", "34", "56", "78", "90", "AB", "CD", "EF"]
    static let fingerprint = (bytes + bytes + bytes + bytes).joined(separator: ":")

    @Test func `a fingerprint becomes the origin of the app`() {
        let origin = AndroidOrigin(certificateFingerprint: Self.fingerprint)
        #expect(origin?.text == "android:apk-key-hash:EjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8")
    }

    @Test func `letters of either case are the same`() {
        let origin = AndroidOrigin(certificateFingerprint: Self.fingerprint.lowercased())
        #expect(origin == AndroidOrigin(certificateFingerprint: Self.fingerprint))
    }

    @Test(arguments: [
        "", ":", String(fingerprint.dropLast(3)), fingerprint + ":00", fingerprint + ":", fingerprint + "\n",
        fingerprint.replacing(":", with: ""), fingerprint.replacing(":", with: "-"),
        fingerprint.replacing("AB", with: "AG"), fingerprint.replacing("12", with: "+1"),
        fingerprint.replacing("12", with: "-0"),
        fingerprint.replacing("12", with: "1"), fingerprint.replacing("12", with: "012"),
        fingerprint.replacing("12", with: "１２"),
    ])
    func `other than 32 bytes with colons between them is no fingerprint`(text: String) {
        #expect(AndroidOrigin(certificateFingerprint: text) == nil)
    }
}
