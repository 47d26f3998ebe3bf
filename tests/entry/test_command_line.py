"""The entry point in process: options, errors, languages, documents.

Turned red by: options that only work on one side of the command, a fast path that reads a line
differently from argparse, abbreviations, usage text in place of the one error line, figures that
depend on the language, English that is not ASCII, a suggested next command that does not run.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inference_lab
from labs import LABS
from labs.base import LabError
from labs.command_line import face, parsed_line, plain_line
from labs.view.catalog.schedule import KNOBS

if TYPE_CHECKING:
    from tests.conftest import RunLab

COMMANDS = (*LABS, "all", "answers")
# words parted by single spaces; two spaces or a bracket end the command
NEXT_COMMAND = r"python3? inference_lab\.py((?: [^\s()\u2e80-\uffef]+)+)"

SAME_MEANING = [
    (["schedule", "--json"], ["--json", "schedule"]),
    (["schedule", "--lang", "zh"], ["--lang", "zh", "schedule"]),
    (["schedule", "--lang", "zh"], ["--lang=zh", "schedule"]),
    (["schedule", "--budget", "2", "--json"], ["--json", "schedule", "--budget", "2"]),
    (["schedule", "--budget", "2", "--lang", "zh"], ["--lang", "zh", "schedule", "--budget=2"]),
    (["schedule", "--json", "--budget", "2"], ["schedule", "--budget", "2", "--json"]),
    (["prefix", "--json", "--lang", "zh"], ["--lang", "zh", "--json", "prefix"]),
    (["attention", "--lang", "en"], ["attention"]),
    (["all", "--json"], ["--json", "all"]),
    (["all", "--lang", "zh"], ["--lang", "zh", "all"]),
    (["--lang", "en"], []),
]


@pytest.mark.parametrize(("one", "other"), SAME_MEANING, ids=[" ".join(one) for one, _ in SAME_MEANING])
def test_same_meaning(run_lab: RunLab, one: list[str], other: list[str]) -> None:
    """Two ways to write a line print the same bytes."""
    assert run_lab(one) == run_lab(other)
    assert run_lab(one).code == 0


@given(
    command=st.sampled_from(["", *COMMANDS, "nonsense"]),
    options=st.lists(
        st.sampled_from(
            [
                ["--json"],
                ["--lang", "en"],
                ["--lang", "zh"],
                ["--lang=zh"],
                ["--lang", "fr"],
                ["--lang"],
                ["--budget", "2"],
                ["all"],
                ["--"],
                ["-h2"],
                [""],
            ]
        ),
        max_size=3,
    ),
    place=st.integers(0, 3),
    lang=st.sampled_from(["en", "zh"]),
)
@settings(deadline=None, max_examples=200)
def test_fast_path_reads_as_argparse(command: str, options: list[list[str]], place: int, lang: str) -> None:
    """Whatever `plain_line` answers, `parsed_line` answers too."""
    parts = [*options[:place], *([[command]] if command else []), *options[place:]]
    words = [word for part in parts for word in part]
    plain = plain_line(list(words), lang)
    if plain is not None:
        assert plain == parsed_line(list(words), lang)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("more", [[], ["--json"], ["--lang", "zh"], ["--json", "--lang", "en"]])
def test_plain_lines_take_the_fast_path(command: str, more: list[str]) -> None:
    """The lines that learners type most are read without argparse, and equally."""
    for words in ([command, *more], [*more, command]):
        plain = plain_line(words, "en")
        assert plain is not None
        assert plain == parsed_line(words, "en")
        assert plain.command == command


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_all_is_the_four_labs(run_lab: RunLab, lang: str) -> None:
    """The text of `all` holds each lab's text, in order; its document holds the four documents."""
    everything = run_lab(["all", "--lang", lang])
    assert (everything.code, everything.err) == (0, "")
    texts = [run_lab([lab, "--lang", lang]).out for lab in LABS]
    places = [everything.out.index(text) for text in texts]
    assert places == sorted(places)
    document = json.loads(run_lab(["all", "--json"]).out)
    assert document["schema"] == 1
    assert document["lab"] == "all"
    assert document["results"] == [json.loads(run_lab([lab, "--json"]).out) for lab in LABS]


@pytest.mark.parametrize("lab", [*LABS, "all"])
def test_documents_know_no_language(run_lab: RunLab, lab: str) -> None:
    """One JSON document, ASCII, the same in both languages, without NaN."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    english, chinese = (run_lab([lab, "--json", "--lang", lang]).out for lang in ("en", "zh"))
    assert english == chinese
    assert english.isascii()
    assert english.endswith("}\n")
    document = json.loads(english, parse_constant=refuse)
    assert document["schema"] == 1
    assert document["lab"] == lab
    if lab != "all":
        assert set(document) >= {"schema", "lab", "params", "result"}


@pytest.mark.parametrize("words", [[lab] for lab in (*LABS, "all")] + [[]], ids=lambda words: " ".join(words))
def test_english_is_ascii_and_chinese_is_not(run_lab: RunLab, words: list[str]) -> None:
    """Both end in exactly one newline and hold no tab or control character."""
    english, chinese = (run_lab([*words, "--lang", lang]).out for lang in ("en", "zh"))
    assert english.isascii()
    assert re.search("[\u4e00-\u9fff]", chinese)
    for text in (english, chinese):
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert all(char == "\n" or char.isprintable() for char in text)
        assert not [line for line in text.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("lab", LABS)
def test_the_next_command_runs(run_lab: RunLab, lab: str, lang: str) -> None:
    """Each lab ends by naming a command to try, and it works."""
    text = run_lab([lab, "--lang", lang]).out
    suggested = re.findall(NEXT_COMMAND, text)
    assert suggested, text
    for line in suggested:
        words = shlex.split(line.rstrip("."))
        ran = run_lab(words)
        assert ran.err == ""
        assert ran.code == 0


@pytest.mark.parametrize(
    "words", [[lab] for lab in LABS] + [["schedule", "--budget", "2"]], ids=lambda words: " ".join(words)
)
def test_the_next_command_is_another_one(run_lab: RunLab, words: list[str]) -> None:
    """Nobody is sent back to the line just typed, neither now nor after the suggested one."""
    for _ in range(2):
        suggested = re.findall(NEXT_COMMAND, run_lab(words).out)[-1].rstrip(".")
        assert shlex.split(suggested) != words
        words = shlex.split(suggested)


@pytest.mark.parametrize(
    ("lab", "one", "other"),
    [
        ("attention", [], ["--tokens", "6"]),
        ("prefix", [], ["--a", "1,2,3,4", "--b", "1,2,3,9"]),
        ("schedule", [], ["--budget", "2"]),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_why_speaks_of_this_run(
    run_lab: RunLab, lab: str, one: list[str], other: list[str], lang: str
) -> None:
    """Prose about two runs differs: a sentence with digits stands in one and not in the other."""
    mark = {"en": r"[a-z]{2,} [a-z]{2,}.*\d|\d.*[a-z]{2,} [a-z]{2,}", "zh": r"\d.*。|\d.*；"}[lang]
    prose = [
        {line for line in run_lab([lab, *words, "--lang", lang]).out.splitlines() if re.search(mark, line)}
        for words in (one, other)
    ]
    assert prose[0] - prose[1]
    assert prose[1] - prose[0]


BAD = [
    (["nonsense"], "nonsense|COMMAND|command"),
    (["all", "nonsense"], "nonsense"),
    (["all", "--budget", "2"], "--budget"),
    (["--budget", "2"], "--budget"),
    (["schedule", "--js"], "--js"),
    (["--js", "schedule"], "--js"),
    (["schedule", "--json=yes"], "--json"),
    (["schedule", "--lang", "fr"], "--lang"),
    (["schedule", "--lang"], "--lang"),
    (["--lang", "ZH", "all"], "--lang"),
    (["schedule", "--budget", "1\n2"], "--budget"),
    (["schedule", "--budget", "\x1b[31m"], "--budget"),
    (["schedule", "prefix"], "prefix"),
    (["schedule", "--no-such", "3"], "--no-such"),
    (["capacity", "--size", "80"], "--size"),
    (["capacity", "--bandwidth", "400"], "--bandwidth"),
]


@pytest.mark.parametrize(("words", "where"), BAD, ids=[repr(" ".join(words)) for words, _ in BAD])
def test_bad_line_is_one_line(run_lab: RunLab, words: list[str], where: str) -> None:
    """`error: WHERE: WHAT (got X)` on stderr, nothing on stdout, exit 2; printable throughout."""
    ran = run_lab(words)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(rf"error: ({where}): [^\n]+\n", ran.err), ran.err
    assert ran.err[:-1].isprintable()
    assert "usage" not in ran.err


def test_error_names_rule_and_value(run_lab: RunLab) -> None:
    """The example of the style guide, word for word, and a Chinese one."""
    assert run_lab(["schedule", "--budget", "0"]).err == "error: --budget: must be at least 1 (got 0)\n"
    for words in (["--lang", "zh", "schedule", "--budget", "0"], ["schedule", "--budget", "0", "--lang=zh"]):
        assert re.fullmatch(r"error: --budget: .*[\u4e00-\u9fff].*1.*\(got 0\)\n", run_lab(words).err)


@pytest.mark.parametrize(
    ("words", "err"),
    [
        ("schedule --no-such 3", "--no-such: no such option here (got --no-such)"),
        ("schedule prefix", "prefix: one word too many (got prefix)"),
        ("schedule --budget", "--budget: needs a value (got nothing)"),
        ("schedule --json=yes", "--json: takes no value (got yes)"),
        (
            "nonsense",
            f"COMMAND: no such command; known are {', '.join(COMMANDS)} (got nonsense)",
        ),
    ],
)
def test_lines_that_argparse_refuses_in_our_words(run_lab: RunLab, words: str, err: str) -> None:
    assert run_lab(words.split()).err == f"error: {err}\n"


def test_bare_number_gets_both_readings(run_lab: RunLab) -> None:
    """80 is refused by showing what it could have meant."""
    err = run_lab(["capacity", "--size", "80"]).err
    assert "80GiB" in err
    assert "80GB" in err


@pytest.mark.parametrize("words", [["--help"], *([lab, "--help"] for lab in COMMANDS)], ids=" ".join)
def test_help(run_lab: RunLab, words: list[str]) -> None:
    """Every command has help, in both languages; its layout is argparse's."""
    english, chinese = (run_lab(["--lang", lang, *words]) for lang in ("en", "zh"))
    assert (english.code, chinese.code) == (0, 0)
    assert (english.err, chinese.err) == ("", "")
    assert "--lang" in english.out
    assert english.out.isascii()
    assert re.search("[\u4e00-\u9fff]", chinese.out)


def test_help_on_an_option_is_in_the_language_asked_for(run_lab: RunLab) -> None:
    for index, lang in enumerate(("en", "zh")):
        out = "".join(run_lab(["--lang", lang, "schedule", "--help"]).out.split())
        for name, texts in KNOBS.items():
            assert name in out
            assert "".join(texts[index].split()) in out
            assert "".join(texts[1 - index].split()) not in out


def test_interrupt_is_130_and_silent(run_lab: RunLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while a lab runs."""

    def interrupted(request: object) -> tuple[str, int]:
        raise KeyboardInterrupt

    monkeypatch.setattr(inference_lab, "perform", interrupted)
    assert tuple(run_lab(["all"])) == (130, "", "")


@pytest.mark.parametrize("command", ["prefix", "all"])
def test_an_equality_that_fails_is_1(command: str, run_lab: RunLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code follows the results' `holds`, and the text is still printed."""
    prefix = face("prefix")

    class Broken:
        """A result whose equality does not hold."""

        def __init__(self, result: object) -> None:
            self.__dict__.update(result=result, holds=False)

        def __getattr__(self, name: str) -> object:
            return getattr(self.__dict__["result"], name)

    run = prefix.run
    monkeypatch.setattr(prefix, "run", lambda params: Broken(run(params)))
    ran = run_lab([command])
    assert (ran.code, ran.err) == (1, "")
    assert "block matches: [True, False, False]" in ran.out


def test_lab_errors_of_a_run_are_one_line(run_lab: RunLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that is raised after parsing, and nothing is half-written."""

    def refuse(params: object) -> object:
        raise LabError("--tokens", "at_least", "x\ny", least=1)

    monkeypatch.setattr(face("capacity"), "run", refuse)
    ran = run_lab(["all"])
    assert tuple(ran) == (2, "", "error: --tokens: must be at least 1 (got x\\ny)\n")
