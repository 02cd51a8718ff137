"""The command line, as operators meet it."""

import signal

import pytest

from commands import run
from gateway import Gateway
from passkey import Passkey, register


@pytest.mark.parametrize(
    "arguments",
    [[], ["--help"], ["-h"], ["account"], ["account", "add", "--help"], ["serve", "--help"], ["config", "check", "--help"],
     ["account", "recover", "--help"], ["version", "--help"], ["import", "--help"]],
)
def test_help_is_everywhere(arguments):
    result = run(*arguments)
    assert result.returncode == 0 and "Usage: gatehouse" in result.stdout and not result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["fly"], ["account", "fly"], ["account", "add"], ["account", "add", "a", "b"], ["serve", "--fly"],
     ["serve", "--config"], ["version", "x"]],
)
def test_a_wrong_command_is_a_usage_error(arguments):
    result = run(*arguments)
    assert result.returncode == 64 and "--help" in result.stderr and not result.stdout


def test_the_version_is_printed():
    assert run("version").stdout.startswith("gatehouse ") and run("--version").returncode == 0


def test_a_busy_port_is_one_clear_line():
    with Gateway.start() as gateway:
        other = Gateway({"listen": {"public": f"127.0.0.1:{gateway.ports['public']}"}})
        try:
            result = run("serve", "--config", str(other.config_path), cwd=other.folder)
            assert result.returncode == 69
            (line,) = result.stderr.splitlines()
            assert f"127.0.0.1:{gateway.ports['public']} is in use" in line
        finally:
            other.stop()


def test_a_second_gateway_on_one_database_is_refused_and_the_first_goes_on():
    with Gateway.start() as gateway:
        other = Gateway({"storage": gateway.config["storage"]})
        try:
            result = run("serve", "--config", str(other.config_path), cwd=other.folder)
            assert result.returncode == 69 and "in use by another gateway" in result.stderr
        finally:
            other.stop()
        assert gateway.request("GET", "/readyz").status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(number):
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        gateway.process.send_signal(number)
        assert gateway.process.wait(15) == 0
        gateway.end()
        gateway.serve()
        assert client.get("/session").status == 200


def test_passkeys_of_another_rp_id_stop_the_start():
    with Gateway.start() as gateway:
        register(gateway.client(), Passkey(), username="lee")
        gateway.end()
        gateway.config["public_url"] = "https://login.example.test"
        gateway.config["access"] = {"rules": []}
        gateway.write_config()
        result = run("serve", "--config", str(gateway.config_path), cwd=gateway.folder)
        assert result.returncode == 78 and "localhost" in result.stderr and "--accept-rp-id-change" in result.stderr
        gateway.serve("--accept-rp-id-change")
        assert gateway.request("GET", "/healthz").status == 200
        gateway.end()
        gateway.serve()
