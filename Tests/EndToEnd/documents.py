"""What the log says of documents that others publish."""

import time


def wait_until(gateway, is_so, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, gateway.log
        time.sleep(0.05)


def log_has(gateway, event, count=1):
    wait_until(gateway, lambda: gateway.log.count(event) >= count)
