"""A person at a browser: Chromium, driven through WebDriver."""

import json
import os
import shutil
import tempfile

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.support.ui import WebDriverWait


class Visitor:
    def __init__(self, origin: str, *, scripts: bool = True, arguments: tuple[str, ...] = ()):
        self.origin = origin
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--window-size=1100,900",
            "--force-device-scale-factor=1",
            *arguments,
        ):
            options.add_argument(argument)
        options.add_experimental_option(
            "prefs", {"credentials_enable_service": False, "profile.password_manager_enabled": False}
        )
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        # Chromium leaves folders behind, so it gets one to leave them in.
        self.folder = tempfile.mkdtemp(prefix="gatehouse-browser-")
        service = webdriver.ChromeService("/usr/bin/chromedriver", env=os.environ | {"TMPDIR": self.folder})
        self.driver = webdriver.Chrome(options=options, service=service)
        self.console: list[dict] = []
        self.requests: list[str] = []
        self.authenticator: str | None = None
        if not scripts:
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})

    def close(self) -> None:
        self.driver.quit()
        shutil.rmtree(self.folder, ignore_errors=True)

    # The authenticator

    def add_authenticator(self, *, consents: bool = True) -> None:
        """A platform authenticator. Unless it `consents`, its owner touches it only when told to."""
        options = VirtualAuthenticatorOptions()
        options.protocol = VirtualAuthenticatorOptions.Protocol.CTAP2
        options.transport = VirtualAuthenticatorOptions.Transport.INTERNAL
        options.has_resident_key = True
        options.has_user_verification = True
        options.is_user_verified = True
        self.driver.add_virtual_authenticator(options)
        self.authenticator = self.driver.virtual_authenticator_id
        self.touch(consents)

    def touch(self, consents: bool = True) -> None:
        """Whether the authenticator's owner agrees to what is asked from now on; a request that waits keeps waiting."""
        self.driver.execute_cdp_cmd(
            "WebAuthn.setAutomaticPresenceSimulation", {"authenticatorId": self.authenticator, "enabled": consents}
        )

    @property
    def passkeys(self) -> list:
        return self.driver.get_credentials()

    def answer_late(self, seconds: float, method: str = "get") -> None:
        """Holds the next answer of the authenticator back, as a person does who takes their time."""
        self.driver.execute_script(
            """
            const [milliseconds, method] = arguments;
            const original = navigator.credentials[method].bind(navigator.credentials);
            navigator.credentials[method] = async (options) => {
                navigator.credentials[method] = original;
                const answer = await original(options);
                await new Promise((resolve) => setTimeout(resolve, milliseconds));
                return answer;
            };
            """,
            seconds * 1000,
            method,
        )

    # The page

    def go(self, path: str) -> None:
        self.driver.get(path if path.startswith("http") else self.origin + path)

    @property
    def path(self) -> str:
        url = self.driver.current_url
        return url.removeprefix(self.origin) if url.startswith(self.origin) else url

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def see(self, selector: str, seconds: float = 10):
        """The element, once it is shown."""

        def shown(driver):
            try:
                for each in driver.find_elements(By.CSS_SELECTOR, selector):
                    if each.is_displayed():
                        return each
            except WebDriverException:
                pass  # the page is just being replaced
            return None

        return WebDriverWait(self.driver, seconds, 0.05).until(shown, f"{selector} is not shown at {self.path}")

    def read(self, selector: str) -> str:
        return self.see(selector).text

    def wait_until(self, condition, what: str, seconds: float = 10):
        return WebDriverWait(self.driver, seconds, 0.05).until(lambda _: condition(), what)

    def wait_for(self, path: str) -> None:
        self.wait_until(lambda: self.path == path, f"{path} is not reached")

    def texts(self, selector: str) -> list[str]:
        """What the elements say, read at one moment."""
        return self.driver.execute_script(
            "return Array.from(document.querySelectorAll(arguments[0]), (each) => each.textContent)", selector
        )

    @property
    def focused(self) -> str:
        """The `id` of what has the focus."""
        return self.driver.switch_to.active_element.get_attribute("id")

    def type(self, *keys: str) -> None:
        """Presses keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def click(self, selector: str) -> None:
        self.see(selector).click()

    def fill(self, selector: str, text: str) -> None:
        field = self.see(selector)
        field.clear()
        field.send_keys(text)

    def sign_in(self, name: str, password: str) -> None:
        self.fill("#identifier", name)
        self.fill("#password", password)
        self.click("#submit")

    def sign_out(self) -> None:
        self.click("#sign-out")
        self.wait_for("/sign-in?notice=signed-out")

    def narrow(self, width: int = 320, height: int = 700) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True},
        )

    def prefer(self, scheme: str) -> None:
        """`light` or `dark`."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )

    # What the browser noticed

    def gather(self) -> None:
        self.console += self.driver.get_log("browser")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])

    def complaints(self, *, but: tuple[str, ...] = ()) -> list[str]:
        """What stands in the console, except refusals of the gateway that are expected, by status."""
        self.gather()
        lines = [entry["message"] for entry in self.console if entry["level"] != "INFO"]
        return [line for line in lines if not any(f"status of {status} " in line for status in but)]

    def strangers(self) -> list[str]:
        """Requests to anybody else than the gateway."""
        self.gather()
        return [url for url in self.requests if not url.startswith((self.origin, "chrome", "about:", "devtools:"))]

    def asked(self, path: str) -> int:
        """How often pages have sent a request there."""
        self.gather()
        return self.requests.count(self.origin + path)
