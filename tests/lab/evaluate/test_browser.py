"""The page in a real browser: Chromium, headless, driven by selenium."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from making import FILE, WANTED, case, make_run, record, some_records

from fastapply_lab.evaluate.annotations import annotate, read_annotations
from fastapply_lab.evaluate.page.overview import ShownRun
from fastapply_lab.evaluate.page.write import write_report

pytestmark = pytest.mark.slow
SECONDS = 2.0  # that a page of 1,000 cases may take to open


@contextmanager
def serving(run, *options):
    """Start `fastapply evaluate view`; gives the address with its token."""
    command = [sys.executable, "-m", "fastapply", "evaluate", "view", str(run), "--as", "ann", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("http://127.0.0.1:"), line
        try:
            yield line.strip()
        finally:
            server.terminate()
            server.wait(20)


@pytest.fixture
def run(tmp_path):
    """A run with one record of many outcomes."""
    return make_run(tmp_path / "run", some_records())


def wait_for(what, seconds=8.0):
    """What a function gives as soon as that is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.03)
    raise AssertionError(f"nothing came of {what.__doc__ or what}")


def opened(browser, address):
    """Open a page, and wait until its scripts have run; what another one has complained of is forgotten."""
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(address)
    wait_for(lambda: browser.execute_script("return document.documentElement.dataset.ready") == "yes")


def press(browser, *keys):
    """Press keys, one after the other, wherever the focus is; a pair is a key with Ctrl."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    for key in keys:
        chain = ActionChains(browser)
        if isinstance(key, tuple):
            chain.key_down(Keys.CONTROL).send_keys(key[1]).key_up(Keys.CONTROL).perform()
        else:
            chain.send_keys(key).perform()


def text_of(browser, selector):
    """The text of an element; "" where there is none."""
    found = browser.execute_script(
        "const e = document.querySelector(arguments[0]); return e && e.innerText", selector
    )
    return found or ""


def chosen(browser):
    """The id of the case that is looked at, once it is drawn."""
    return browser.execute_script("return document.getElementById('case').dataset.id")


def go_to(browser, wanted):
    """Go to the first row, and down until a case is reached."""
    wait_for(lambda: chosen(browser))
    press(browser, "g")
    at = "return data.cases[state.at].id"
    wait_for(lambda: chosen(browser) == browser.execute_script(at))
    for _ in range(20):
        before = chosen(browser)
        if before == wanted:
            return
        press(browser, "j")
        wait_for(lambda before=before: chosen(browser) != before, 3)
    raise AssertionError(f"{wanted} was not reached")


def said(run):
    """Who says what, as it is on the disk."""
    return {(one.case, one.who): (one.choice, one.note) for one in read_annotations(run)}


def test_an_annotation_is_there_after_a_reload(browser, run):
    """Class and note, by keyboard alone."""
    from selenium.webdriver.common.keys import Keys

    with serving(run) as address:
        opened(browser, address)
        go_to(browser, "store/4")
        press(browser, "5")
        wait_for(lambda: said(run).get(("store/4", "ann")) == ("hallucination", ""))
        press(browser, "n")
        press(browser, "nobody", " ", "asked", ("ctrl", Keys.ENTER))
        wait_for(lambda: said(run).get(("store/4", "ann")) == ("hallucination", "nobody asked"))
        opened(browser, address)
        go_to(browser, "store/4")
        pressed = "return document.querySelector('.choices [aria-pressed=true]').dataset.class"
        assert browser.execute_script(pressed) == "hallucination"
        assert browser.execute_script("return document.getElementById('note').value") == "nobody asked"
        press(browser, "0")
        wait_for(lambda: said(run).get(("store/4", "ann")) == (None, "nobody asked"))
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


def test_a_note_that_is_being_written_stays_when_others_annotate(browser, run):
    """What the server says meanwhile is shown beside it."""
    from selenium.webdriver.common.keys import Keys

    with serving(run) as address:
        opened(browser, address)
        go_to(browser, "store/4")
        press(browser, "n", "half a")
        annotate(run, "store/4", "bob", "correct", "fine")
        browser.execute_script("ask('annotations').then(take)")
        wait_for(lambda: "bob" in text_of(browser, ".raters"))
        press(browser, " note", ("ctrl", Keys.ENTER))
        wait_for(lambda: said(run).get(("store/4", "ann")) == (None, "half a note"))


def test_every_class_has_its_key(browser, run):
    """1 to 6, and r for an edit that had to be refused."""
    with serving(run) as address:
        opened(browser, address)
        wait_for(lambda: chosen(browser))
        case_id = chosen(browser)
        keys = ("correct", "non_functional", "smoothing", "functional_error", "hallucination", "truncation")
        for key, name in (*((str(n), name) for n, name in enumerate(keys, 1)), ("r", "refused")):
            press(browser, key)
            wait_for(lambda name=name: said(run).get((case_id, "ann"), ("",))[0] == name)


def test_two_open_pages_lose_nothing_and_see_each_other(browser, run):
    """Each annotation is a line; the other page shows it when it is looked at again."""
    with serving(run) as address:
        opened(browser, address)
        first = browser.current_window_handle
        go_to(browser, "store/3")
        browser.switch_to.new_window("tab")
        try:
            opened(browser, address)
            go_to(browser, "store/3")
            press(browser, "4")
            wait_for(lambda: ("store/3", "ann") in said(run))
            annotate(run, "store/3", "bob", "correct", "looks fine")
            go_to(browser, "store/4")
            press(browser, "5")
            wait_for(lambda: ("store/4", "ann") in said(run))
        finally:
            browser.close()
            browser.switch_to.window(first)
        go_to(browser, "store/3")
        wait_for(lambda: "bob" in text_of(browser, ".raters"))
    assert said(run) == {
        ("store/3", "ann"): ("functional_error", ""),
        ("store/3", "bob"): ("correct", "looks fine"),
        ("store/4", "ann"): ("hallucination", ""),
    }


def test_a_report_is_a_file_that_opens_without_a_server(browser, tmp_path):
    """Diffs on both sides with marked words; nothing to annotate."""
    records = {one.case.id: one for one in some_records()}
    write_report([ShownRun("mine", records)], tmp_path / "report.html")
    opened(browser, (tmp_path / "report.html").as_uri())
    go_to(browser, "store/3")
    titles = "return [...document.querySelectorAll('.side h3')].map((one) => one.innerText)"
    assert browser.execute_script(titles) == ["Edit", "File to merge", "File to expected"]
    marked = "return [...document.querySelectorAll('.sides .ins mark')].map((one) => one.textContent)"
    assert browser.execute_script(marked) == ["to ", "to "]
    press(browser, "d")
    wait_for(lambda: "Merge to expected" in browser.execute_script(titles))
    rows = "[...document.querySelectorAll('.side:last-child .ins')]"
    added = f"return {rows}.map((one) => one.lastChild.innerText)"
    assert browser.execute_script(added) == ['    log.info("removing %s", path)']
    assert browser.execute_script("return document.querySelector('.choices')") is None
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


def test_unchanged_lines_are_folded_and_unfold(browser, tmp_path):
    """A thousand lines are a few until they are asked for, and all of them come at once."""
    long = "".join(f"value_{n} = {n}\n" for n in range(1000))
    new = long.replace("value_500 = 500", "value_500 = 501")
    one = record(new, case(1, original=long, expected=None))
    write_report([ShownRun("mine", {one.case.id: one})], tmp_path / "report.html")
    opened(browser, (tmp_path / "report.html").as_uri())
    rows = "return document.querySelectorAll('.sides tr').length"
    wait_for(lambda: browser.execute_script(rows) == 2 + 3 + 2 + 3)
    press(browser, "x")
    started = time.monotonic()
    wait_for(lambda: browser.execute_script(rows) == 1001)
    assert time.monotonic() - started < 1.5


def test_filters_and_order_by_keyboard(browser, tmp_path):
    """Search, a class, sorting, and two runs that differ."""
    first = {one.case.id: one for one in some_records()}
    second = {name: record(WANTED, one.case) for name, one in first.items()}
    second["store/1"] = record(FILE, case(1))
    runs = [ShownRun("old", first), ShownRun("new", second)]
    write_report(runs, tmp_path / "report.html")
    opened(browser, (tmp_path / "report.html").as_uri())
    shown = "return [...document.querySelectorAll('#body tr')].map((row) => data.cases[row.dataset.index].id)"
    from selenium.webdriver.common.keys import Keys

    press(browser, "/", "store/2", Keys.ESCAPE)
    wait_for(lambda: browser.execute_script(shown) == ["store/2"])
    press(browser, "c")
    wait_for(lambda: len(browser.execute_script(shown)) == 6)
    press(browser, "f", "t", Keys.ESCAPE)
    wait_for(lambda: browser.execute_script(shown) == ["store/5"])
    press(browser, "c")
    press(browser, "s", "s")
    wait_for(lambda: browser.execute_script(shown) == [f"store/{n}" for n in range(1, 7)])
    press(browser, "S")
    wait_for(lambda: browser.execute_script(shown)[0] == "store/6")
    browser.execute_script("document.getElementById('by-disagreement').value = 'runs'; filterCases()")
    assert browser.execute_script(shown) == [f"store/{n}" for n in (6, 5, 4, 3, 2, 1)]
    go_to(browser, "store/1")
    press(browser, "]")
    wait_for(lambda: "funct" in text_of(browser, "#case h2"))
    press(browser, "o")
    assert "6 cases" in text_of(browser, "#sums")
    press(browser, "o", "t")
    assert browser.execute_script("return document.documentElement.dataset.theme") in {"light", "dark"}


def test_texts_of_others_are_shown_as_text(browser, tmp_path):
    """Whatever an edit holds, it is not run."""
    evil = "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script>\n"
    one = record(evil, case(1, original=evil + "x\n", edit=evil, expected=evil, instructions=evil))
    one = replace(one, case=replace(one.case, id=f"a{evil.strip()}"))
    write_report([ShownRun("mine", {one.case.id: one})], tmp_path / "report.html")
    opened(browser, (tmp_path / "report.html").as_uri())
    wait_for(lambda: evil.strip() in text_of(browser, ".edit"))
    assert browser.title.startswith("fastapply evaluate")
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


def test_a_thousand_cases_open_in_two_seconds(browser, tmp_path):
    """Measured by the browser, from the address to the first case that is drawn."""
    text = FILE * 4
    one = record(text.replace("removing", "taking away"), case(0, original=text, expected=text))
    some = {f"store/{n}": replace(one, case=replace(one.case, id=f"store/{n}")) for n in range(1000)}
    write_report([ShownRun("mine", some)], tmp_path / "report.html")
    opened(browser, (tmp_path / "report.html").as_uri())
    wait_for(lambda: chosen(browser))
    entry = "return performance.getEntriesByType('navigation')[0].domComplete"
    milliseconds = wait_for(lambda: browser.execute_script(entry))
    assert milliseconds < SECONDS * 1000
