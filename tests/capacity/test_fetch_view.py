"""What `capacity fetch` prints: lines that stand alone, reasons, limits, next steps; times with units."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.view.times import number_text, read_time, read_token_rate, token_rate_text

if TYPE_CHECKING:
    from tests.conftest import RunLab, RunProcess

WHOLE = "--tokens 8192 --model llama-3-8b --bandwidth 400Gbit/s --recompute-rate 8000tok/s"
RAW = "--tokens 100 --kv-per-token 1MiB --bandwidth 1Gbit/s --recompute-rate 8000tok/s"
# words, and lines that stand alone in the text
LINES = {
    "": [
        "fetch cost: 22 ms",
        "recompute: 60 ms",
        "saving: 38 ms",
        "cheaper: fetch",
        "3 ms + 20 ms + 7 ms - 8 ms = 22 ms",
        "60 ms - 22 ms = 38 ms",
        "break-even length: not solved, give --tokens N --kv-per-token SIZE --bandwidth RATE"
        " --recompute-rate RATE",
        "break-even bandwidth: not solved, give --size SIZE --bandwidth RATE",
        "break-even overlap: -30 ms, fetching is cheaper without any",
    ],
    "--recompute 22ms --data-path 20ms": [
        "saving: 0 ms",
        "cheaper: neither, both cost the same",
        "break-even bandwidth: not solved, give --size SIZE --bandwidth RATE in place of --data-path",
        "break-even overlap: 8 ms of the 30 ms that can overlap",
    ],
    "--recompute 0s": [
        "cheaper: recompute",
        "break-even overlap: none, fetching is not cheaper even if all 30 ms overlap",
    ],
    "--size 1GiB --bandwidth 400Gbit/s": [
        "fetch cost: about 23.475 ms",
        "effective rate: 400 Gbit/s = 50 GB/s, limited by the links",
        "break-even length: not solved, give --tokens N --recompute-rate RATE",
        "break-even bandwidth: about 148.1 Gbit/s effective (below it recomputing is cheaper)",
    ],
    f"{WHOLE} --links 2 --host-limit 500Gbit/s": [
        "effective rate: 500 Gbit/s = 62.5 GB/s, limited by the host",
        "break-even length: fetching is cheaper from 17 tokens on (equal at about 16.273)",
        "8192 tokens x 131072 B/token = 1073741824 B      (tokens cancel)",
        "min(2 x 400000000000 bit/s, 500000000000 bit/s) = 500000000000 bit/s",
    ],
    f"{RAW} --overlap 100ms": [
        "cheaper: recompute",
        "break-even length: fetching is cheaper up to 10 tokens (equal at about 10.891)",
    ],
    f"{RAW} --overlap 10ms": ["break-even length: none, fetching is cheaper at no length"],
    f"{WHOLE} --overlap 10ms": ["break-even length: none, fetching is cheaper at every length"],
    "--size 1kB --bandwidth 1Gbit/s --recompute 2ms": [
        "break-even bandwidth: none, fetching is cheaper at no bandwidth"
    ],
}
WHY = {
    "": ["taken off once, in the cost: 22 ms", "Not taken off at all they would leave 30 ms", "twice 14 ms"],
    "--overlap 0ms": ["Nothing overlaps", "30 ms"],
    "--recompute 10ms": ["10 ms, 12 ms less"],
    "--lookup 50ms": ["largest step is the look-up, 50 of the 77 ms"],
    "--recompute 0ms": ["Recomputing costs nothing"],
    f"{WHOLE} --links 2 --host-limit 500Gbit/s": ["2 x 400 Gbit/s would bring 800 Gbit/s", "another link"],
    f"{WHOLE} --links 2 --host-limit 900Gbit/s": ["the host would let 900 Gbit/s through", "links decide"],
    f"{RAW} --overlap 100ms": ["8.263608 ms longer", "90 ms more than look-up"],
    f"{RAW} --overlap 11ms": ["the 1 ms that the overlap covers", "do not last for one"],
    RAW: ["8.388608 ms to fetch and 0.125 ms to recompute", "no length earns that back"],
}


def text_of(run_lab: RunLab, words: str, lang: str = "en") -> str:
    ran = run_lab(["capacity", "fetch", *words.split(), "--lang", lang])
    assert (ran.code, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize("words", LINES)
def test_lines_stand_alone(words: str, run_lab: RunLab) -> None:
    shown = [line.strip() for line in text_of(run_lab, words).splitlines()]
    assert [line for line in LINES[words] if line not in shown] == []


def test_chinese_lines_stand_alone(run_lab: RunLab) -> None:
    shown = text_of(run_lab, "", "zh").splitlines()
    assert [line for line in ("取回代价：22 ms", "重算：60 ms", "节省：38 ms") if line not in shown] == []


@pytest.mark.parametrize("words", WHY)
def test_why_has_the_values_of_this_run(words: str, run_lab: RunLab) -> None:
    why = text_of(run_lab, words).partition("\nWhy: ")[2].partition("\nDoes not show")[0].replace("\n", " ")
    assert [part for part in WHY[words] if part not in why] == []


@pytest.mark.parametrize("words", [*LINES, *WHY])
def test_languages_have_the_same_figures(words: str, run_lab: RunLab) -> None:
    english, chinese = (text_of(run_lab, words, lang) for lang in ("en", "zh"))
    numbers = [sorted(re.findall(r"-?\d+(?:\.\d+)?", text)) for text in (english, chinese)]
    assert numbers[0] == numbers[1]


def test_what_is_not_promised(run_lab: RunLab) -> None:
    limits = text_of(run_lab, "").partition("\nDoes not show: ")[2].replace("\n", " ")
    for word in (
        "TTFT",
        "queueing",
        "rest of the prompt",
        "other requests",
        "overlap",
        "protocol",
        "line rate",
    ):
        assert word in limits
    windowed = "--tokens 9 --model gpt-oss-20b --bandwidth 1GB/s"
    assert "window" in text_of(run_lab, windowed).partition("\nDoes not show: ")[2]
    assert "window" not in limits


def test_each_step_leads_to_the_next_and_all_run(run_lab: RunLab) -> None:
    """From the default run on: sizes, the length, the links, the overlap; and no further."""
    words, seen = "capacity fetch", []
    for _ in range(4):
        step = run_lab(words.split()).out.splitlines()[-1]
        words = step.removeprefix("Next: python3 inference_lab.py ").partition("  (")[0]
        assert run_lab(words.split()).code == 0
        seen.append(words)
    assert len(set(seen)) == 4
    assert "--host-limit" in seen[2]
    assert "--overlap" in seen[3]


VALUES = {"N": "100", "SIZE": "100kB", "RATE": "8Gbit/s"}


@pytest.mark.parametrize("line", ["length", "bandwidth"])
@pytest.mark.parametrize(
    "words",
    [
        "",
        "--data-path 20ms",
        "--recompute 60ms",
        "--size 1GiB --bandwidth 1GB/s",
        "--data-path 1s --recompute 0s",
    ],
)
def test_what_it_says_is_missing_is_all_that_is(words: str, line: str, run_lab: RunLab) -> None:
    """With the options that it asks for, and without those it wants gone, the break-even is solved."""
    start = f"break-even {line}: "
    told = next(text for text in text_of(run_lab, words).splitlines() if text.startswith(start))
    if "not solved" not in told:
        return
    give, _, gone = told.partition("give ")[2].partition(" in place of ")
    given = dict(zip(words.split()[::2], words.split()[1::2]))
    wanted = dict(zip(give.split()[::2], give.split()[1::2]))
    more = {name: "8ktok/s" if name == "--recompute-rate" else VALUES[kind] for name, kind in wanted.items()}
    kept = {name: value for name, value in given.items() if name not in gone.split()}
    again = " ".join(word for pair in {**kept, **more}.items() for word in pair)
    assert f"{start}not solved" not in text_of(run_lab, again)


def test_default_run_imports_no_slow_module(run_process: RunProcess) -> None:
    ran = run_process(["capacity", "fetch"], flags=["-S", "-X", "importtime"])
    assert ran.returncode == 0
    loaded = {line.rsplit("|", 1)[-1].strip() for line in ran.stderr.decode().splitlines()}
    slow = {
        "dataclasses",
        "typing",
        "enum",
        "re",
        "collections",
        "fractions",
        "json",
        "argparse",
        "functools",
    }
    assert loaded & slow == set()
    assert "labs.sizing.fetch" in loaded


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("3ms", 3),
        ("0ms", 0),
        ("0 s", 0),
        ("250us", Fraction(1, 4)),
        ("1 ns", Fraction(1, 10**6)),
        ("1.5s", 1500),
    ],
)
def test_times_are_read_exactly(text: str, ms: Fraction | int) -> None:
    assert read_time(text, "--lookup") == ms


def test_token_rates_are_read_exactly() -> None:
    rates = [read_token_rate(text, "--recompute-rate") for text in ("8000tok/s", "8 ktok/s", "8000 tokens/s")]
    assert rates == [8000, 8000, 8000]
    assert (token_rate_text(rates[0]), token_rate_text(Fraction(1, 2))) == ("8000 tok/s", "0.5 tok/s")


@settings(max_examples=50)
@given(st.fractions(-1000, 1000))
def test_a_number_says_where_it_is_rounded(value: Fraction) -> None:
    text = number_text(value, "about ")
    shown = Fraction(text.removeprefix("about "))
    assert (shown == value) != text.startswith("about ")
    assert abs(shown - value) <= Fraction(1, 2000)
