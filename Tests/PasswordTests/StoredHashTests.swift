import GatehouseKit
import GatehouseTesting
import Testing

@testable import PasswordProvider

/// Hashes of "correct horse 42" that other software made: crypt(3), Python's hashlib and argon2-cffi, openssl(1).
enum KnownHashes {
    static let password = "correct horse 42"

    static let all =
        [
            "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg"
        ] + argon2 + crypt + keyed + digests

    static let crypt = [
        "$2a$05$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$2b$05$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$2y$05$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$5$abcdefgh$Xt44OJX0hR/P2QAaPTGJiplu5lDnWgeYR.aoMWR4PP8",
        "$5$rounds=1000$abc$yt0iPVLixR6q1CLAXvoGuTsDo1mNz0qDG9vk64cmym.",
        "$6$abcdefgh$Y01VoZocPU9aaBu0jnHN8VYTyYVXhbhZG0/EtZObZPrjPVwRjffwBQYCTkDLHkHjvDRhIJfWVE435KUp33X1c/",
        "$6$rounds=2000$abc$HWATVdPGbafbZTcf6KVd1lNFraj0IFNhj1NHYG1VWOg8Wxtf.L2IdWnzrt9ui1nVxGsCYFIroTpiaAKOwRnjo1",
        "$y$j75$abcdefgh$eXMBDzc0bHwaBoVj/2SXnquJH5oJ29aBcgDIRq5zDH0", "$1$abc$rgtslqPVZoVdfNtW3XdBV.",
        "$apr1$abcdefgh$9/FxcG1RgN.QsdrNj4l4j.", "$apr1$ab$zWfJqMu0tlDzGbzxGGWC71",
    ]

    static let keyed = [
        "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$Fv9pzOh9itzxlDiW4tIo1FYNV0U+V7GDEiWnX9He6ao",
        "$pbkdf2-sha1$i=1000,l=20$MDEyMzQ1Njc4OWFiY2RlZg$CVIAo2j7xogTqPDM9dH6zcnpbf8",
        "$pbkdf2-sha256$i=1000,l=32$MDEyMzQ1Njc4OWFiY2RlZg$mUiQlgFJyznhFUCmlpo0wILQYVXlC5ONzAOSdkOzA4k",
        "$pbkdf2-sha512$1000$MDEyMzQ1Njc4OWFiY2RlZg$"
            + "J309K6oDv5NWXXNPSueJr5quUOHxQbNLzZruakc8bZhpWcFrawQuAJRfcORTRcrs72coK3y14ZLNnIfBXqlDJw",
        "$pbkdf2$1000$MDEyMzQ1Njc4OWFiY2RlZg$CVIAo2j7xogTqPDM9dH6zcnpbf8",
        "pbkdf2_sha256$1000$saltysalt$bq/542H6BPjMRfuraNfuphb9qr2uuV/a/RH1hhLA/Xg=",
    ]

    static let digests = [
        "{SSHA}mng+AIcblyCzoHkzF9oxvFdtF9VzYWx0c2FsdA==", "{SHA}WqwMJTH3IpZy8+j7ousrrh4UR2o=",
        "{SSHA256}8MerEgoeDI6Rqb3IkOca6isYe7jTQ85+WgljSblg3x9zYWx0c2FsdA==",
        "{ssha512}kV+rNlRLowLesMXCnWVS9BYSCG971FAf4oVDQjvOeyBBASap13H1fcr4fc7BrwnLZKjyWcDEVwQGpk1iYNK4RnNhbHRzYWx0",
        "{SMD5}Hn3cO0MWE0EgKIIubs4zR3NhbHRzYWx0", "{MD5}ntYhDnQZBu5z+gS5Il3WPw==",
        "{SHA384}bpyYn9QI6W9nLPn7qUSzG/OzpVd+2CrYSd4VNk2aCFxImtLyN5TWA58888JbJ4mg",
        "{CRYPT}$5$abcdefgh$Xt44OJX0hR/P2QAaPTGJiplu5lDnWgeYR.aoMWR4PP8",
        "$sha256$pf=eHtTQUxUfS17UEFTU1dPUkR9$MDEyMzQ1Njc4OWFiY2RlZg$WptzXfI3a+5jlRwlnusH2fcQOsk48s3N+x4jkYQHxqA",
    ]

    static let argon2: [String] = [
        "$argon2i$v=19$m=256,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$3Ggcrlhipowk5rpRS07tmT+i4myK1huOj9Iqe2s3E0w",
        "$argon2d$v=19$m=256,t=2,p=2$MDEyMzQ1Njc4OWFiY2RlZg$ZHNqOKLJu68lRe2Jq6YETPxG5uMTYVMRPFaG6+Of950",
        "$argon2id$v=19$m=256,t=2,p=2$MDEyMzQ1Njc4OWFiY2RlZg$2Gq4ZVwPZ4QD+AsCxfIOnJOBPtrItxfv9rweMuxaJ7k",
        "$argon2i$m=256,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$7y1sP0qnL4m2+O6/xMvo5jtGYQHUup8kHlr/aTzLX+I",
        "$argon2id$m=256,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$S/uqKUXaWwD/FaJzWdsw4jxe3+/tDk+No+SkBfckj0U",
        "$argon2id$v=19$m=64,t=1,p=1$MTIzNDU2Nzg$mrmGwTEBI2PivERdP/ZZFJjUmQraAKJR+CbxTB94qpk",
    ]
}

struct StoredHashTests {
    @Test(arguments: KnownHashes.all)
    func `a hash that other software made is checked`(text: String) throws {
        let hash = try #require(HashForms.parse(text, within: .max))
        #expect(try hash.matches(Array(KnownHashes.password.utf8)))
        for other in ["correct horse 43", "correct horse 4", "correct horse 42 ", ""] {
            #expect(try !hash.matches(Array(other.utf8)))
        }
    }

    /// The example of github.com/firebase/scrypt.
    @Test func `a hash of Firebase is checked`() throws {
        let text =
            "$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$"
            + "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$Bw==$"
            + "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
        let hash = try #require(HashForms.parse(text, within: .max))
        #expect(try hash.matches(Array("user1password".utf8)))
        #expect(try !hash.matches(Array("user2password".utf8)))
    }

    @Test func `a long password under apr1 is checked`() throws {
        let hash = try #require(HashForms.parse("$apr1$abcdefgh$7h4098paklNpzdB9KwCdh/", within: .max))
        #expect(try hash.matches([UInt8](repeating: UInt8(ascii: "x"), count: 40)))
        #expect(try !hash.matches([UInt8](repeating: UInt8(ascii: "x"), count: 39)))
    }

    @Test(arguments: [
        "$argon2id$v=19$m=4194304,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg",
        "$2b$31$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$2b$15$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$6$rounds=999999999$abc$HWATVdPGbafbZTcf6KVd1lNFraj0IFNhj1NHYG1VWOg8Wxtf.L2IdWnzrt9ui1nVxGsCYFIroTpiaAKOwRnjo1",
        "$y$jET$abcdefgh$eXMBDzc0bHwaBoVj/2SXnquJH5oJ29aBcgDIRq5zDH0",
        "$y$j9TX$abcdefgh$eXMBDzc0bHwaBoVj/2SXnquJH5oJ29aBcgDIRq5zDH0",
        "$scrypt$ln=30,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$Fv9pzOh9itzxlDiW4tIo1FYNV0U+V7GDEiWnX9He6ao",
        "$scrypt$ln=16,r=64,p=1$MDEyMzQ1Njc4OWFiY2RlZg$Fv9pzOh9itzxlDiW4tIo1FYNV0U+V7GDEiWnX9He6ao",
        "$scrypt$ln=10,r=8,p=16$MDEyMzQ1Njc4OWFiY2RlZg$Fv9pzOh9itzxlDiW4tIo1FYNV0U+V7GDEiWnX9He6ao",
        "pbkdf2_sha256$2147483648$saltysalt$bq/542H6BPjMRfuraNfuphb9qr2uuV/a/RH1hhLA/Xg=",
        "pbkdf2_sha256$2000001$saltysalt$bq/542H6BPjMRfuraNfuphb9qr2uuV/a/RH1hhLA/Xg=",
    ])
    func `a hash that costs too much is none`(text: String) {
        #expect(HashForms.parse(text, within: .max) == nil)
    }

    @Test(arguments: [
        "", "correct horse 42", "$", "$2b$05$short", "$2x$05$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "$5$$", "$y$", "$1$abc$rgtslqPVZoVdfNtW3XdBV", "$5$abcdefgh$Xt44OJX0hR/P2QAaPTGJiplu5lDnWgeYR.aoMWR4PP",
        "$5$rounds=1000$abc$yt0iPVLixR6q1CLAXvoGuTsDo1mNz0qDG9vk64cmy-", "$6$rounds=2000$abc$HWATVdPGbafbZTcf6KVd1l",
        "$6$abcdefgh$Y01VoZocPU9aaBu0jnHN8VYTyYVXhbhZG0", "$y$j75$abcdefgh$eXMBDzc0bHwaBoVj/2SXnquJH5oJ29aBcgDIRq5zDH",
        "{SSHA}", "{SSHA}WqwMJTH3IpZy8+j7ousrrh4UR2o=", "{SHA}AAAA", "{NOPE}AAAA", "{CRYPT}plain",
        "$sha256$pf=eHt9$MDEyMzQ1Njc4OWFiY2RlZg$WptzXfI3a+5jlRwlnusH2fcQOsk48s3N+x4jkYQHxqA",
        "$pbkdf2-sha256$i=1000,l=31$MDEyMzQ1Njc4OWFiY2RlZg$mUiQlgFJyznhFUCmlpo0wILQYVXlC5ONzAOSdkOzA4k",
        "pbkdf2_sha256$0$saltysalt$bq/542H6BPjMRfuraNfuphb9qr2uuV/a/RH1hhLA/Xg=",
        "$apr1$abcdefghi$7h4098paklNpzdB9KwCdh/",
        "$5$abcdefgh$Xt44OJX0hR/P2QAaPTGJiplu5lDnWgeYR.aoMWR4PP8\n", " $1$abc$rgtslqPVZoVdfNtW3XdBV.",
    ])
    func `text of another form is no hash`(text: String) {
        #expect(HashForms.parse(text, within: .max) == nil)
    }

    @Test func `bcrypt doesn't cover what it doesn't look at`() throws {
        let bcrypt = try #require(HashForms.parse(KnownHashes.crypt[1], within: .max))
        #expect(bcrypt.covers([UInt8](repeating: 0x61, count: 72)))
        #expect(!bcrypt.covers([UInt8](repeating: 0x61, count: 73)))
        let other = try #require(HashForms.parse(KnownHashes.crypt[3], within: .max))
        #expect(other.covers([UInt8](repeating: 0x61, count: 73)))
    }
}

/// Two libraries, one algorithm.
struct VectorArgon2Tests {
    @Test func `both libraries make the same bytes, whatever the parameters`() throws {
        var random = Mutator(seed: 42)
        for _ in 0..<200 {
            let hash = Argon2Hash(
                cost: HashCost(
                    memoryKiB: .random(in: 8...512, using: &random),
                    passes: .random(in: 1...4, using: &random)
                ),
                salt: (0..<16).map { _ in .random(in: 0...255, using: &random) },
                tag: [UInt8](repeating: 0, count: .random(in: 16...64, using: &random))
            )
            let password = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(VectorArgon2.takes(hash))
            #expect(try VectorArgon2.tag(of: password, hash) == Argon2.referenceTag(of: password, hash))
        }
    }

    @Test func `what libsodium doesn't take goes to libargon2`() throws {
        for text in KnownHashes.argon2 {
            #expect(!VectorArgon2.takes(try #require(Argon2Hash(text))))
        }
    }
}
