"""The binary, run as an operator runs it."""

import os
import subprocess

from gateway import binary

ENVIRONMENT = {
    "PASSKEY_RP_ID": "example.com", "PASSKEY_ORIGIN": "https://login.example.com", "PASSKEY_RP_NAME": "Example",
    "PASSKEY_CHALLENGE_TTL_MS": "300000", "APPLE_TEAM_ID": "ABCDE12345", "IOS_BUNDLE_IDENTIFIER": "com.example.app",
    "ANDROID_PACKAGE_NAME": "com.example.app",
    "ANDROID_SHA256_CERT_FINGERPRINTS": ":".join(["12:34:56:78:90:AB:CD:EF"] * 4),
}


def run(*arguments, environment=None, cwd=None, input=""):
    return subprocess.run(
        [binary(), *arguments], input=input, text=True, capture_output=True, timeout=30, cwd=cwd,
        env={"PATH": os.environ["PATH"], **(environment or {})},
    )


def check(tmp_path, text, **environment):
    path = tmp_path / "gatehouse.yaml"
    path.write_text(text)
    return run("config", "check", "--config", str(path), environment=environment)
