"""The file that `--html` writes, without a browser: where it may go, what stands in it, what it leaves alone.

Turned red by: another file that is overwritten, a page that is written although the run is refused, other
text on standard output, a page that differs from run to run, an address in it, a step without a number.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import RunLab, RunProcess
from tests.page.tree import parse

LABS = ("attention", "prefix", "schedule", "capacity", "all")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("lab", LABS)
def test_the_text_stays_covered_too(run_lab: RunLab, tmp_path: Path, lab: str, lang: str) -> None:
    """One line says where the page is; the lab's text would tell what the page covers."""
    page = tmp_path / "page.html"
    ran = run_lab(["--lang", lang, lab, "--html", str(page)])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    assert str(page) in ran.out
    assert page.read_text("utf-8").startswith(f'<!doctype html>\n<html lang="{lang}">')
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_json_goes_with_a_page(run_lab: RunLab, tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    ran = run_lab(["--html", page, "schedule", "--json"])
    assert json.loads(ran.out)["lab"] == "schedule"
    assert Path(page).exists()


@pytest.mark.parametrize("lab", LABS)
def test_a_page_is_whole_and_names_no_address(run_lab: RunLab, tmp_path: Path, lab: str) -> None:
    page = tmp_path / "page.html"
    run_lab([lab, "--html", str(page)])
    text = page.read_text("utf-8")
    assert not re.search(r"https?:|//\w|url\(|@import|\bimport\(|fetch\(|XMLHttpRequest|WebSocket", text)
    elements = list(parse(text).all())
    (policy,) = [meta for meta in elements if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy.get("content").startswith("default-src 'none';"), (
        "the browser refuses what is not in the file"
    )
    for element in elements:
        if element.get("data-step") and element.name != "details":
            (only,) = element.children
            assert not isinstance(only, str), "the style covers elements, not texts"
    linked = [element.get(key) for element in elements for key in ("src", "href", "srcset")]
    assert all(value.startswith("#") for value in linked if value)
    ids = [element.get("id") for element in elements if element.get("id")]
    assert ids == ([lab] if lab != "all" else ["attention", "prefix", "schedule", "capacity"])


def test_both_languages_whichever_it_begins_with(run_lab: RunLab, tmp_path: Path) -> None:
    """The page holds what the lab prints in each language, and is the same whichever it begins with."""
    texts = {}
    for lang in ("en", "zh"):
        page = tmp_path / f"{lang}.html"
        run_lab(["--lang", lang, "schedule", "--budget", "2", "--html", str(page)])
        texts[lang] = page.read_text("utf-8")
    assert texts["en"].replace('<html lang="en">', '<html lang="zh">', 1) == texts["zh"]
    for line in ("Round 4: C prefill 2", "轮4：C prefill 2"):
        assert line in texts["en"]


def test_pages_are_the_same_in_any_process(run_process: RunProcess, tmp_path: Path) -> None:
    pages = set()
    for seed in ("0", "1"):
        page = tmp_path / f"{seed}.html"
        ran = run_process(["all", "--html", str(page)], environment={"PYTHONHASHSEED": seed, "LC_ALL": "C"})
        assert (ran.returncode, ran.stderr) == (0, b"")
        pages.add(page.read_bytes())
    assert len(pages) == 1


REFUSED = [
    (["--html", "PAGE", "answers"], "goes with attention, prefix, schedule, capacity, all (got answers)"),
    (["--html", "PAGE", "capacity", "fit"], "goes with attention, prefix, schedule, capacity, all"),
    (["capacity", "fit", "--html", "PAGE"], "error: --html: no such option here"),
    (["--html", "PAGE"], "--html"),
    (["schedule", "--html"], "--html"),
    (["schedule", "--html", ""], "error: --html: must not be empty"),
    (["schedule", "--predict", "A1", "--html", "PAGE"], "error: --html: "),
    (["schedule", "--html", "PAGE", "--budget", "0"], "error: --budget: "),
    (["schedule", "--html", "nowhere/page.html"], "error: --html: "),
    (["schedule", "--html", "."], "error: --html: "),
    (["schedule", "--html", "PAGE", "--timeline", "nowhere/t.json"], "error: --timeline: "),
    (
        ["schedule", "--html", "PAGE", "--timeline", "./PAGE"],
        "error: --html: is where --timeline writes, too",
    ),
]


@pytest.mark.parametrize(("words", "says"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_refusals_are_one_line_and_write_nothing(
    run_lab: RunLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run_lab([word.replace("PAGE", "page.html") for word in words])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert says in ran.err
    assert list(tmp_path.iterdir()) == []


def test_only_a_page_is_written_over(run_lab: RunLab, tmp_path: Path) -> None:
    """A file of requests, a trace or a config that is named by mistake stays."""
    requests = tmp_path / "requests.jsonl"
    line = '{"id": "A", "prefill": 3, "decode": 1}\n'
    requests.write_text(line, encoding="utf-8")
    ran = run_lab(["schedule", "--requests", str(requests), "--html", str(requests)])
    assert ran.code == 2
    assert ran.err.startswith("error: --html: is there already and is no page")
    assert requests.read_text("utf-8") == line
    own = tmp_path / "own.html"
    own.write_text("<!doctype html>\n<p>mine", encoding="utf-8")
    assert run_lab(["schedule", "--html", str(own)]).code == 2
    assert own.read_text("utf-8") == "<!doctype html>\n<p>mine"
    page = tmp_path / "page.html"
    page.touch()
    for budget in ("8", "2"):
        assert run_lab(["schedule", "--budget", budget, "--html", str(page)]).code == 0
    assert "Round 10: C decode 1, D decode 1" in page.read_text("utf-8")


def test_large_runs_are_drawn_in_part_and_say_so(run_lab: RunLab, tmp_path: Path) -> None:
    requests = tmp_path / "requests.jsonl"
    lines = [json.dumps({"id": f"R{i}", "prefill": 9 + i, "decode": 40 + i % 7}) for i in range(60)]
    requests.write_text("\n".join(lines), encoding="utf-8")
    page = tmp_path / "page.html"
    rule = ["--rule", "vllm", "--kv-blocks", "40", "--max-num-seqs", "9"]
    assert run_lab(["schedule", "--requests", str(requests), *rule, "--html", str(page)]).code == 0
    text = page.read_text("utf-8")
    assert "20 more requests are not drawn." in text
    assert re.search(r"Drawn are rounds up to \d+ of \d+\.", text)
    assert len(text) < 3_000_000


ODD = [
    ["attention", "--tokens", "1"],
    ["attention", "--tokens", "60", "--block-size", "7", "--sabotage", "stale"],
    ["prefix", "--a", "", "--b", ""],
    ["prefix", "--a", "1", "--b", ""],
    ["prefix", "--a", ",".join(["7"] * 400), "--b", ",".join(["7"] * 300), "--block-size", "2"],
    ["schedule", "--external"],
    [
        "schedule",
        "--rule",
        "nano-vllm",
        "--kv-blocks",
        "9",
        "--block-size",
        "2",
        "--compare",
        "vllm",
        "--log",
    ],
    ["schedule", "--rule", "static", "--max-num-seqs", "2"],
    ["schedule", "--rule", "vllm", "--kv-blocks", "1000000", "--request", "A:prefill=100000,decode=inf"],
    ["schedule", "--request", "A:prefill=3,decode=2,arrive=900"],
    ["schedule", "--request", "A:prefill=30,decode=2,abort=2", "--budget", "4"],
    [
        "capacity",
        "--model",
        "gpt-oss-20b",
        "--tokens",
        "131072",
        "--lengths",
        "1,100000",
        "--block-size",
        "3",
    ],
    ["capacity", "--table"],
    ["capacity", "--model", "deepseek-v3", "--lengths", ",".join(["5"] * 40)],
]


@pytest.mark.parametrize("words", ODD, ids=lambda words: " ".join(words)[:60])
def test_odd_runs_have_a_page(run_lab: RunLab, tmp_path: Path, words: list[str]) -> None:
    page = tmp_path / "page.html"
    ran = run_lab([*words, "--html", str(page)])
    assert (ran.code, ran.err) == (0, "")
    tree = parse(page.read_text("utf-8"))
    (section,) = tree.all("section")
    steps = {int(element.get("data-step")) for element in tree.all() if element.get("data-step")}
    count = len(section.get("data-lasts").split())
    assert steps == set(range(1, count + 1)), "every step uncovers something"
    (slider,) = tree.all("input")
    assert slider.get("max") == str(count)
