"""The page in a real browser, loaded at given steps and looked at: what can be seen, and what cannot yet.

Skipped where there is no Chromium. Expected rounds, rows, hashes, sizes and block tables are the course's and
the engines' recorded ones. Turned red by: a step that shows too much or too little, a key or a click that
does nothing, another language than the one asked for, text too faint to read, anything from the network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Golden, RunLab
from tests.page.browser import Browser, chromium

CHROMIUM = chromium()
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

# The course's lab C, budget 8: a column a round.
ROUNDS = {
    "A": ["d1", "d1", "d1", ""],
    "B": ["d1", "d1", "", ""],
    "C": ["P6", "P4", "d1", "d1"],
    "D": ["", "P2", "d1", ""],
}
UNUSED = ["0", "0", "5", "7"]
COVERED = ""
# Rows of a section's first table that can be read: texts of their cells, the row's name first.
TABLE = """((lab) => [...document.querySelectorAll(`#${lab} table`)[0].rows].map((row) =>
  [...row.cells].map((cell) => cell.innerText.trim())))"""
# Luminance contrast of each text that can be read with what lies behind it (WCAG 2): the smallest, and where.
CONTRAST = """(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  let worst = [99, ""];
  for (const element of document.querySelectorAll("body *:not(button:disabled)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest("noscript")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    let behind = element;
    while (behind.parentElement && (channels(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) {
      behind = behind.parentElement;
    }
    const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor]
      .map((color) => light(channels(color)) + 0.05);
    const contrast = Math.max(a, b) / Math.min(a, b);
    if (contrast < worst[0]) worst = [contrast, element.outerHTML.slice(0, 90)];
  }
  return worst;
})()"""

Page = Callable[..., Browser]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert CHROMIUM is not None
    window = Browser(CHROMIUM, tmp_path_factory.mktemp("profile"))
    yield window
    window.close()


@pytest.fixture
def page(browser: Browser, run_lab: RunLab, tmp_path: Path) -> Page:
    """Write a page by a command line, and open it at a fragment, in light colours."""

    def opened(*words: str, at: str = "") -> Browser:
        path = tmp_path / "page.html"
        ran = run_lab([*words, "--html", str(path)])
        assert (ran.code, ran.err) == (0, "")
        browser.emulate()
        browser.open(path, at)
        return browser

    return opened


def timeline(browser: Browser) -> dict[str, list[str]]:
    """The rows of the timeline by the first word of their heads."""
    rows = browser.evaluate(f"{TABLE}('schedule')")
    return {row[0].split()[0]: row[1:] for row in rows}


@pytest.mark.parametrize("step", [0, 1, 2, 3, 4])
def test_a_schedule_is_uncovered_up_to_the_round_asked_for(page: Page, step: int) -> None:
    browser = page("schedule", at=f"#round={step}")
    rows = timeline(browser)
    for name, cells in {**ROUNDS, "unused": UNUSED}.items():
        assert rows[name] == cells[:step] + [COVERED] * (4 - step), name
    assert browser.evaluate("document.querySelector('#schedule .next:not(details)') !== null") == (step < 4)
    panels = browser.evaluate("[...document.querySelectorAll('.panel')].filter((p) => !p.hidden).length")
    assert panels == (1 if step else 0)
    says = browser.evaluate("document.querySelector('#schedule output').innerText.trim()")
    assert says == (f"round {step}" if step else "all covered")


def test_reasons_come_last(page: Page) -> None:
    """The lab's own text holds every round: it is there when nothing is left to predict."""
    shown = "['details', '.end_covered'].map((one) => document.querySelector(one).checkVisibility())"
    assert page("schedule", at="#round=3").evaluate(shown) == [False, True]
    browser = page("schedule", at="#round=4")
    assert browser.evaluate(shown) == [True, False]
    browser.click("summary")
    text = browser.evaluate("document.querySelector('details').innerText")
    assert "Why: In round 1 first come A decode 1, B decode 1, taking 2 of 8" in text


def test_progress_is_told_in_the_panel(page: Page) -> None:
    text = page("schedule", at="#round=2").evaluate(
        "document.querySelector('.panel:not([hidden])').innerText"
    )
    assert "Round 2: A decode 1, B decode 1, C prefill 4, D prefill 2" in text
    assert "10 / 12" in text.split("\nC")[1].split("\nD")[0], "C: ten prompt tokens, and two decodes to come"


KEYS = [
    (["ArrowRight"], 1),
    (["ArrowRight", "ArrowRight", "ArrowLeft"], 1),
    (["ArrowLeft"], 0),
    (["End"], 4),
    (["End", "ArrowRight"], 4),
    (["End", "Home"], 0),
]


@pytest.mark.parametrize(("keys", "step"), KEYS, ids=[" ".join(keys) for keys, _ in KEYS])
def test_keys_move_one_step(page: Page, keys: list[str], step: int) -> None:
    browser = page("schedule")
    for key in keys:
        browser.press(key)
    assert timeline(browser)["C"] == ROUNDS["C"][:step] + [COVERED] * (4 - step)
    fragment = browser.evaluate("location.hash")
    assert fragment == (f"#round={step}&lang=en" if step else "#lang=en")


@pytest.mark.parametrize("modifiers", [1, 2, 4, 8], ids=["alt", "ctrl", "meta", "shift"])
def test_a_key_with_a_modifier_is_the_browsers_own(page: Page, modifiers: int) -> None:
    browser = page("schedule", at="#round=2")
    browser.press("ArrowRight", modifiers=modifiers)
    assert timeline(browser)["C"] == ["P6", "P4", COVERED, COVERED]


def test_slider_buttons_and_a_click_on_the_question_mark(page: Page) -> None:
    browser = page("schedule", at="#round=1")
    at = "Number(document.querySelector('#schedule').dataset.at)"
    browser.click("td.next")
    assert browser.evaluate(at) == 2
    browser.click("[data-move='1']")
    assert browser.evaluate(at) == 3
    browser.click("[data-move='-1']")
    assert browser.evaluate(at) == 2
    browser.evaluate("document.querySelector('input').focus()")
    browser.press("ArrowRight")
    assert browser.evaluate(at) == 3
    assert browser.evaluate("location.hash") == "#round=3&lang=en"


def test_a_slider_moves_its_own_lab(page: Page) -> None:
    """The last lab's slider has the focus, while the first lab fills the window."""
    browser = page("all")
    browser.evaluate("document.querySelector('#capacity input').focus({preventScroll: true})")
    browser.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    browser.press("ArrowRight")
    at = "['attention', 'capacity'].map((id) => Number(document.getElementById(id).dataset.at))"
    assert browser.evaluate(at) == [0, 1]


def test_any_cover_that_is_next_can_be_clicked(page: Page) -> None:
    browser = page("capacity")
    browser.click(".panel.next")
    assert "131072 B per token" in browser.evaluate("document.querySelector('.panel').innerText")


def test_buttons_at_the_ends(page: Page) -> None:
    disabled = "[...document.querySelectorAll('[data-move]')].map((button) => button.disabled)"
    expected = {0: [True, False], 2: [False, False], 4: [False, True]}
    for step, ends in expected.items():
        assert page("schedule", at=f"#round={step}").evaluate(disabled) == ends


def test_the_address_of_an_open_page_may_be_changed(page: Page) -> None:
    browser = page("schedule")
    browser.evaluate("location.hash = '#round=3&lang=zh'")
    assert browser.evaluate("new Promise((done) => setTimeout(() => done(location.hash), 50))")
    assert timeline(browser)["C"] == ["P6", "P4", "d1", COVERED]
    assert browser.evaluate("document.querySelector('#schedule').dataset.at") == "3"
    assert browser.evaluate("document.documentElement.lang") == "zh"


@pytest.mark.parametrize("at", ["#lang=fr", "#round=x", "#round=", "#nonsense", "#round=1e999", "#%"])
def test_addresses_without_sense_do_no_harm(page: Page, at: str) -> None:
    browser = page("schedule", at=at)
    assert browser.evaluate("document.documentElement.lang") == "en"
    last = at == "#round=1e999"  # past every round: all of them
    assert browser.evaluate("document.querySelector('#schedule').dataset.at") == ("4" if last else "0")
    assert browser.complaints == []


def test_steps_are_no_history_and_keys_do_not_scroll(page: Page, browser: Browser) -> None:
    """In a window that holds the first lab, End uncovers it, and does not go to the end of the page."""
    size = {"width": 1000, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    try:
        page("all")
        browser.call("Page.resetNavigationHistory")
        for key in ("ArrowRight", "ArrowRight", "End"):
            browser.press(key)
        later = "new Promise((done) => setTimeout(() => done([history.length, scrollY]), 500))"
        assert browser.evaluate(later) == [1, 0]
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")


def test_the_language_in_use_is_marked(page: Page) -> None:
    pressed = (
        "[...document.querySelectorAll('[data-lang]')].map((button) => button.getAttribute('aria-pressed'))"
    )
    browser = page("prefix", at="#lang=zh")
    assert browser.evaluate(pressed) == ["false", "true"]
    browser.click("button[data-lang=en]")
    assert browser.evaluate(pressed) == ["true", "false"]


def test_what_the_address_asks_for_is_in_sight(page: Page) -> None:
    """A lab below the first one, and a column to the right of the window."""
    place = "(({top, bottom, left, right}) => [top, bottom, left, right])(%s.getBoundingClientRect())"
    browser = page("all", at="#round=3")
    top, *_ = browser.evaluate(place % "document.querySelector('#schedule h1')")
    assert -1 < top < 100
    page("schedule", "--budget", "1", "--request", "A:prefill=80,decode=2", at="#round=60")
    _, _, left, right = browser.evaluate(place % "document.querySelector('td.next')")
    width = browser.evaluate("innerWidth")
    assert 0 < left < right < width


def test_nothing_shows_before_it_is_covered(page: Page) -> None:
    """A large page is painted in parts: until the script has run, a lab is not shown."""
    browser = page("schedule")
    seen = "getComputedStyle(document.querySelector('section')).visibility"
    assert browser.evaluate(seen) == "visible"
    browser.evaluate("delete document.querySelector('section').dataset.at")
    assert browser.evaluate(seen) == "hidden"


def test_the_next_round_comes_into_sight(page: Page, browser: Browser) -> None:
    """A window too narrow for ten rounds follows the steps."""
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    try:
        page("schedule", "--budget", "2")
        for _ in range(8):
            browser.press("ArrowRight")
        right = browser.evaluate("document.querySelector('td.next').getBoundingClientRect().right")
        assert right <= 360
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")


def test_a_later_cover_does_not_open(page: Page) -> None:
    browser = page("schedule", at="#round=1")
    browser.click("td[data-step='4']")
    assert timeline(browser)["C"] == ["P6", COVERED, COVERED, COVERED]


def test_both_languages(page: Page) -> None:
    browser = page("schedule", at="#round=1&lang=zh")
    panel = "document.querySelector('.panel:not([hidden])').innerText"
    assert "轮1：A decode 1，B decode 1，C prefill 6" in browser.evaluate(panel)
    assert "Round" not in browser.evaluate("document.body.innerText")
    browser.click("button[data-lang=en]")
    assert "Round 1: A decode 1, B decode 1, C prefill 6" in browser.evaluate(panel)
    assert "轮" not in browser.evaluate("document.body.innerText")
    assert browser.evaluate("location.hash") == "#round=1&lang=en"
    assert "轮1" in page("--lang", "zh", "schedule", at="#round=1").evaluate(panel)


@pytest.mark.parametrize("block", [-1, 0, 1, 2, 3])
def test_hash_chains(page: Page, block: int) -> None:
    """A and B of the lecture part at block 1; what can be reused is a step of its own."""
    browser = page("prefix", at=f"#block={block}")
    *_, verdicts = browser.evaluate(f"{TABLE}('prefix')")
    words = ["match", "miss: tokens_differ", "miss: parent_differs"]
    assert verdicts[1:] == [word if i <= block else COVERED for i, word in enumerate(words)]
    reach = browser.evaluate("document.querySelector('#prefix .panel').innerText.trim()")
    assert bool(reach) == (block == 3)
    assert not reach or "2 of 6 are reusable" in reach


@pytest.mark.parametrize("scheme", ["sha256", "sha256_cbor"])
def test_hash_chains_show_the_engines_digests(page: Page, golden: Golden, scheme: str) -> None:
    case = golden("block_hash.json")["plain"][0]
    words = ["prefix", "--scheme", scheme, "--hash-seed", "0", "--block-size", str(case["block_size"])]
    tokens = ",".join(map(str, case["tokens"]))
    browser = page(*words, "--a", tokens, "--b", tokens, at="#block=999")
    keys = browser.evaluate(
        "[...document.querySelectorAll('#prefix tr')[1].querySelectorAll('strong')].map((e) => e.innerText)"
    )
    assert keys == [digest[:8] for digest in case[scheme]]


@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_attention_counts_rows(page: Page, position: int) -> None:
    browser = page("attention", at=f"#position={position}")
    rows = browser.evaluate(f"{TABLE}('attention')")[1:]
    sums = [1, 3, 6, 10]
    expected = [f"{sums[i]} / {i + 1}" if i <= position else COVERED for i in range(4)]
    assert [row[3] for row in rows] == expected
    assert [row[4] for row in rows] == ["True" if i <= position else COVERED for i in range(4)]
    squares = (
        "[...document.querySelectorAll('#attention tr')].map((row) => [...row.querySelectorAll('.slot')]"
        ".filter((e) => e.checkVisibility({visibilityProperty: true})).length)"
    )
    assert browser.evaluate(squares) == [0, *[2 * (i + 1) if i <= position else 0 for i in range(4)]]


def test_the_cache_fills_physical_blocks(page: Page) -> None:
    """Two tokens a block: positions 0 and 1 lie in the first block of the table, 2 in the second."""
    browser = page("attention", "--tokens", "5", "--block-size", "2", at="#position=2")
    table = browser.evaluate("document.querySelector('.setup').innerText.match(/block table \\[(.*)\\]/)[1]")
    first, second, third = map(int, table.split(","))
    held = browser.evaluate(
        "[...document.querySelectorAll('.panel:not([hidden]) .block')]"
        ".map((block) => [...block.querySelectorAll('.chip')].map((chip) => chip.innerText))"
    )
    assert (held[first], held[second], held[third]) == (["0", "1"], ["2"], [])


def test_capacity_covers_formula_and_result(page: Page) -> None:
    shown = "[...document.querySelectorAll('#capacity .panel')].map((panel) => panel.innerText.trim())"
    lines = page("capacity", at="#line=2").evaluate(shown)
    assert "= 131072 B per token" in lines[0]
    assert "= 1 GiB" in lines[1]
    assert lines[2:] == [COVERED, COVERED]
    browser = page("capacity", at="#line=3")
    assert "2 + 2 = 4 blocks" in browser.evaluate(shown)[2]
    slots = "['decode', 'empty'].map((kind) => document.querySelectorAll(`#capacity .slot.${kind}`).length)"
    assert browser.evaluate(slots) == [17 + 31, 64 - 17 - 31]


def test_all_has_four_labs_and_an_address_for_each(page: Page) -> None:
    browser = page("all", at="#position=1&block=0&round=2&line=3")
    at = "[...document.querySelectorAll('section')].map((lab) => [lab.id, Number(lab.dataset.at)])"
    assert browser.evaluate(at) == [["attention", 2], ["prefix", 1], ["schedule", 2], ["capacity", 3]]
    browser.evaluate("document.querySelector('#schedule').scrollIntoView({behavior: 'instant'})")
    browser.press("ArrowRight")
    assert browser.evaluate(at) == [["attention", 2], ["prefix", 1], ["schedule", 3], ["capacity", 3]]
    browser.click("nav a[href='#prefix']")
    assert browser.evaluate(at)[2] == ["schedule", 3], "a link to a lab covers nothing"


def test_block_tables_and_queues_are_the_engines(page: Page, golden: Golden, tmp_path: Path) -> None:
    """Every step of a recorded run of vLLM's scheduler: who got what, tables, waiting and free queue."""
    case = next(
        c for c in golden("engine_fuzz.json")["scheduler"] if c["mode"] == "tight" and c["preemptions"]
    )
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case), encoding="utf-8")
    browser = page("schedule", "--rule", "vllm", "--requests", str(path))
    panel = """(() => {
      const panel = document.querySelector(".panel:not([hidden])");
      const chips = (e) => [...e.querySelectorAll(".chip")].map((chip) => chip.innerText);
      return {
        tables: Object.fromEntries([...panel.querySelectorAll("tr")].slice(1)
          .map((row) => [row.cells[0].innerText, chips(row.cells[2])])),
        queues: [...panel.querySelectorAll("p")].map(chips).filter((each) => each.length),
      };
    })()"""
    column_names = golden("engine_fuzz.json")["step_columns"]
    for number, step in enumerate(case["steps"], start=1):
        columns = dict(zip(column_names, step))
        browser.press("ArrowRight")
        rows = timeline(browser)
        got = {name: row[number - 1][1:] for name, row in rows.items() if row[number - 1][:1] in ("P", "d")}
        assert got == {name: str(tokens) for name, tokens in columns["scheduled"]}, number
        seen = browser.evaluate(panel)
        for name, table in columns["block_tables"]:
            assert seen["tables"][name] == list(map(str, table)), (number, name)
        for name in columns["preempted"]:
            assert seen["tables"][name] == [], (number, name)
        queues = [columns["waiting_after_schedule"], list(map(str, columns["free_queue_after_step"]))]
        assert seen["queues"] == [queue for queue in queues if queue], number


def test_hit_blocks_are_marked(page: Page) -> None:
    """A prompt of nine tokens again, blocks of four: two blocks are hit."""
    twice = [
        f"--request={name}:prompt=1;2;3;4;5;6;7;8;9,decode=0,arrive={r}" for name, r in (("A", 1), ("B", 2))
    ]
    browser = page("schedule", "--rule", "vllm", "--block-size", "4", *twice, at="#round=2")
    hits = "[...document.querySelectorAll('.panel:not([hidden]) .chip.hit')].map((chip) => chip.innerText)"
    assert len(browser.evaluate(hits)) == 2


def test_rounds_alike_share_a_column(page: Page) -> None:
    """Two decodes without end starve C: a thousand rounds, and any of them can be asked for."""
    endless = ["--request", "A:prefill=0,decode=inf", "--request", "B:prefill=0,decode=inf"]
    words = ["schedule", "--budget", "2", *endless, "--request", "C:prefill=10,decode=2"]
    browser = page(*words, at="#round=500")
    heads = browser.evaluate(f"{TABLE}('schedule')")[0][1:]
    assert heads == ["1-1000"]
    assert timeline(browser)["C"] == ["."]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_readable_in_light_and_dark(page: Page, dark: bool, lang: str) -> None:
    """Contrast of 4.5 to 1, as WCAG asks of running text; the paper is dark where dark is asked for."""
    browser = page("all", at=f"#position=2&block=3&round=3&line=4&lang={lang}")
    browser.emulate(dark=dark)
    contrast, where = browser.evaluate(CONTRAST)
    assert contrast >= 4.5, where
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(paper) < 200) == dark
    browser.emulate()


def test_pictures_of_steps_differ(page: Page) -> None:
    pictures = {page("schedule", at=f"#round={step}").screenshot() for step in range(5)}
    assert len(pictures) == 5


def test_what_is_printed_is_what_is_uncovered(page: Page) -> None:
    browser = page("schedule", at="#round=2")
    browser.emulate(media="print")
    assert timeline(browser)["C"] == ["P6", "P4", COVERED, COVERED]
    assert not browser.evaluate("document.querySelector('.controls').checkVisibility()")
    browser.emulate()
    assert browser.pdf().startswith(b"%PDF-")


def test_without_a_script_all_is_uncovered(page: Page, browser: Browser) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        rows = timeline(page("schedule", at="#round=1"))
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert {name: rows[name] for name in ROUNDS} == ROUNDS


@pytest.mark.parametrize("lab", ["attention", "prefix", "schedule", "capacity", "all"])
def test_nothing_comes_from_the_network(page: Page, lab: str) -> None:
    browser = page(lab)
    for key in ("ArrowRight", "End", "Home"):
        browser.press(key)
    assert [address for address in browser.requests if not address.startswith("file://")] == []
    assert len(browser.requests) == 1
    assert browser.complaints == []


def test_names_are_text(page: Page) -> None:
    """What a user calls a thing cannot become markup."""
    name = '<img src=x onerror="document.title=1">&amp;'
    browser = page("prefix", "--namespace", name, "--other-namespace", "</script><h1>x")
    assert browser.evaluate("document.images.length + document.querySelectorAll('h1').length") == 1
    assert browser.evaluate("document.title") == "inference_lab: prefix"
    assert name in browser.evaluate("document.querySelector('.setup').innerText")


def test_a_narrow_window_has_no_sideways_scrolling(page: Page, browser: Browser) -> None:
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    try:
        wide = page("all", at="#position=3&block=3&round=4&line=4").evaluate(
            "document.documentElement.scrollWidth - innerWidth"
        )
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")
    assert wide <= 0
