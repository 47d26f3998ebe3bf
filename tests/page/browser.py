"""A headless Chromium, driven over its own pipe (the DevTools protocol: JSON ended by a zero byte).

Nothing is looked up on a network: the browser is started without its background requests, and every request
of a page is written down.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--force-device-scale-factor=1", "--remote-debugging-pipe"),
)
PATIENCE_SECONDS = 60
KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35}


def chromium() -> str | None:
    """Where a Chromium is, if there is one that can be driven."""
    if os.name == "nt":
        return None
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return next((path for path in map(shutil.which, names) if path), None)


class Browser:
    """One window; `open` loads a file at a fragment, as typing its address would."""

    def __init__(self, executable: str, profile: Path) -> None:
        import fcntl  # not on Windows, where no browser is looked for

        to_browser, self.to_browser = os.pipe()
        self.from_browser, from_browser = os.pipe()
        # The browser reads at 3 and writes at 4; copies out of their way can be put there in any order.
        reads, writes = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]

        def put_in_place() -> None:
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [executable, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(3, 4),
            preexec_fn=put_in_place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for descriptor in (to_browser, from_browser, reads, writes):
            os.close(descriptor)
        self.number = 0
        self.rest = b""
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command, and its result; events that come meanwhile are kept."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer)
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.from_browser], [], [], PATIENCE_SECONDS)
            assert ready, "the browser does not answer"
            data = os.read(self.from_browser, 1 << 16)
            assert data, "the browser has gone"
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file afresh, and wait until its script has run."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri() + fragment)
        wanted = f"location.pathname === {json.dumps(path.as_posix())} && document.readyState === 'complete'"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.evaluate(wanted):
            assert time.monotonic() < deadline, f"{path} was not loaded"
            time.sleep(0.01)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, modifiers: int = 0) -> None:
        """A key, down and up."""
        for kind in ("rawKeyDown", "keyUp"):
            code = KEYS[key]
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
            )

    def click(self, selector: str) -> None:
        """A click in the middle of the first element that is found, scrolled into view."""
        box = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center', behavior: 'instant'});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def emulate(self, media: str = "", dark: bool = False) -> None:
        """A dark or a light screen, or paper."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def screenshot(self) -> bytes:
        """What is in the window, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        """What would be printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    @property
    def requests(self) -> list[str]:
        """Addresses asked for since the page was opened."""
        return [
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        ]

    @property
    def complaints(self) -> list[Any]:
        """Errors of the script and refusals of the policy since the page was opened."""
        return [e for e in self.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
