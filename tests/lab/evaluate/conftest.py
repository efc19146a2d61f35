"""A judge that says what it is told to, and a browser."""

from __future__ import annotations

import os
import shutil

import pytest
from scripted_server import scripted_server

REQUIRED = os.environ.get("FASTAPPLY_TEST_BROWSER")  # before a test takes such variables away
_SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,900",
)


@pytest.fixture
def server():
    """A chat server that does what a test tells it to."""
    with scripted_server() as server:
        server.models = ["critic"]
        yield server


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Headless Chromium; skipped where there is none, and failing where CI says that there must be one."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        assert not REQUIRED, "FASTAPPLY_TEST_BROWSER is set, and there is no chromium with its driver"
        pytest.skip("no chromium with its driver: apt-get install chromium chromium-driver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for switch in (*_SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driving = webdriver.Chrome(options=options, service=Service(driver))
    yield driving
    driving.quit()
