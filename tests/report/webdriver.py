"""A browser without a screen, over chromedriver's HTTP protocol (W3C WebDriver). Only the standard library."""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing():
    """What of the two programs is not installed, or None."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return program
    return None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, width=1280, height=900, dark=False):
        self.port = free_port()
        self.profile = tempfile.TemporaryDirectory(prefix="cambium.browser.", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.session = None
        try:
            self._wait_for_driver()
            arguments = [
                "--headless=new",
                "--no-sandbox",  # containers run as root, and the pages are ours
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--force-prefers-reduced-motion",
                f"--window-size={width},{height}",
                f"--user-data-dir={self.profile.name}",
            ] + (["--blink-settings=preferredColorScheme=0"] if dark else [])
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}})
            self.session = answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.session:
            try:
                self._call("DELETE", f"/session/{self.session}")
            except OSError:
                pass  # it is going away in any case
        self.driver.terminate()
        self.driver.wait(10)
        self.profile.cleanup()

    def _wait_for_driver(self):
        for _ in range(300):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def _do(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, url):
        self._do("POST", "/url", {"url": url})

    def url(self):
        return self._do("GET", "/url")

    def run(self, script, *arguments):
        """What the body of a function returns in the page."""
        return self._do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=30):
        """Until an expression is true in the page."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.run(f"return {script}"):
                return value
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s: {script}")

    def click_at(self, x, y):
        """With a real pointer, at a place of the window."""
        self._do("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [
                {"type": "pointerMove", "duration": 50, "x": round(x), "y": round(y)},
                {"type": "pause", "duration": 50},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0},
            ]}]})

    def drag(self, x, y, to_x, to_y):
        self._do("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [
                {"type": "pointerMove", "duration": 20, "x": round(x), "y": round(y)},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerMove", "duration": 100, "x": round(to_x), "y": round(to_y)},
                {"type": "pause", "duration": 50},
                {"type": "pointerUp", "button": 0},
            ]}]})

    def type_into(self, selector, text):
        element = self._do("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        self._do("POST", f"/element/{element}/clear", {})
        self._do("POST", f"/element/{element}/value", {"text": text})

    def console(self):
        """What pages wrote to the console since the last call."""
        return self._do("POST", "/se/log", {"type": "browser"})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._do("GET", "/screenshot")))

    def resize(self, width, height):
        self._do("POST", "/window/rect", {"width": width, "height": height})
