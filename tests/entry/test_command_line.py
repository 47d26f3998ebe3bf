"""The entry point in process: options, errors, languages, documents.

Turned red by: options that only work on one side of the command, a fast path that reads a line
differently from argparse, a sub-word that is taken for a word too many or found away from its command,
abbreviations, usage text in place of the one error line, figures that depend on the language, English that
is not ASCII, a suggested next command that does not run.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inference_lab
from labs import LABS
from labs.base import LabError
from labs.command_line import SUBCOMMANDS, face, plain_line
from labs.parsed_line import parsed_line
from labs.view.catalog.entry import COMMAND_HELP
from labs.view.catalog.schedule import KNOBS

if TYPE_CHECKING:
    from tests.conftest import RunLab

COMMANDS = (*LABS, "all", "answers")
CASES = Path(inference_lab.__file__).parent / "tests" / "cases"
LOG = [str(CASES / "logs" / "cap-22.log"), "--config", str(CASES / "configs" / "qwen2.5-7b.json")]
CHATS = str(CASES / "traces" / "chats.jsonl")
NEEDED = {  # what a command does not run without
    "capacity log": LOG,
    "prefix replay": [CHATS],
    "schedule replay": [CHATS],
    "schedule bench": [str(CASES.parent / "golden" / "bench_detailed.json")],
    "answers hint": [str(CASES / "sheets" / "anna.py"), "p1"],
    "answers show": [str(CASES / "sheets" / "anna.py")],
    "answers grade": [str(CASES / "sheets")],
}
PARTS = [[lab] for lab in LABS] + [[*name.split(), *NEEDED.get(name, [])] for name in SUBCOMMANDS]
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
    (["prefix", "groups", "--json"], ["--json", "prefix", "groups"]),
    (["prefix", "groups", "--json"], ["prefix", "--json", "groups"]),
    (["prefix", "groups", "--lang", "zh"], ["--lang", "zh", "prefix", "groups"]),
    (["prefix", "groups", "--lang", "zh"], ["prefix", "--lang=zh", "groups"]),
    (["prefix", "groups", "--change", "2", "--json"], ["prefix", "--json", "groups", "--change=2"]),
    (
        ["prefix", "groups", "--lang=zh", "--change", "2"],
        ["--lang", "zh", "prefix", "groups", "--change", "2"],
    ),
    (["prefix", "groups", "--json", "--lang", "zh"], ["--json", "prefix", "--lang", "zh", "groups"]),
    (["prefix", "--salt=groups"], ["prefix", "--salt", "groups"]),
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
                ["--kv-blocks", "5"],
                ["all"],
                ["groups"],
                ["prefix"],
                ["prefix groups"],
                ["--"],
                ["-h2"],
                [""],
            ]
        ),
        max_size=4,
    ),
    place=st.integers(0, 4),
    lang=st.sampled_from(["en", "zh"]),
)
@settings(deadline=None, max_examples=400)
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


@pytest.mark.parametrize("command", SUBCOMMANDS)
@pytest.mark.parametrize("more", [[], ["--json"], ["--lang", "zh"], ["--json", "--lang", "en"]])
def test_plain_lines_with_a_sub_word_too(command: str, more: list[str]) -> None:
    """Wherever the options stand; the command holds both words."""
    first, second = command.split()
    for words in ([first, second, *more], [first, *more, second], [*more, first, second]):
        plain = plain_line(words, "en")
        assert plain is not None
        assert plain == parsed_line(words, "en")
        assert plain.command == command


@pytest.mark.parametrize("words", [["groups"], ["groups", "prefix"], ["prefix groups"], ["prefix", "prefix"]])
def test_lines_that_only_look_like_a_sub_word(words: list[str]) -> None:
    assert plain_line(words, "en") is None


def test_a_command_keeps_its_meaning_beside_its_sub_word(run_lab: RunLab) -> None:
    """`prefix` is still the lecture's lab, with its own knobs; `prefix groups` has others."""
    assert json.loads(run_lab(["prefix", "--json"]).out)["lab"] == "prefix"
    assert json.loads(run_lab(["prefix", "groups", "--json"]).out)["lab"] == "prefix groups"
    assert run_lab(["prefix", "--a", "1,2", "--b", "1,2"]).code == 0
    assert run_lab(["prefix", "groups", "--prompt", "1,2"]).code == 0


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


@pytest.mark.parametrize("lab", [*LABS, "all", *SUBCOMMANDS])
def test_documents_know_no_language(run_lab: RunLab, lab: str) -> None:
    """One JSON document, ASCII, the same in both languages, without NaN."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    english, chinese = (
        run_lab([*lab.split(), *NEEDED.get(lab, []), "--json", "--lang", lang]).out for lang in ("en", "zh")
    )
    assert english == chinese
    assert english.isascii()
    assert english.endswith("}\n")
    document = json.loads(english, parse_constant=refuse)
    assert document["schema"] == 1
    assert document["lab"] == lab
    if lab != "all":
        assert set(document) >= {"schema", "lab", "params", "result"}


@pytest.mark.parametrize("words", [*PARTS, ["all"], []], ids=lambda words: " ".join(words))
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
@pytest.mark.parametrize("command", PARTS, ids=" ".join)
def test_the_next_command_runs(run_lab: RunLab, command: list[str], lang: str) -> None:
    """Each lab ends by naming a command to try, and it works."""
    text = run_lab([*command, "--lang", lang]).out
    suggested = re.findall(NEXT_COMMAND, text)
    assert suggested, text
    for line in suggested:
        words = shlex.split(line.rstrip("."))
        ran = run_lab(words)
        assert ran.err == ""
        assert ran.code == 0


@pytest.mark.parametrize(
    "words", [*PARTS, ["schedule", "--budget", "2"], ["prefix", "groups", "--kv-blocks", "5"]], ids=" ".join
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
        ("prefix groups", [], ["--change", "9"]),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_why_speaks_of_this_run(
    run_lab: RunLab, lab: str, one: list[str], other: list[str], lang: str
) -> None:
    """Prose about two runs differs: a sentence with digits stands in one and not in the other."""
    mark = {"en": r"[a-z]{2,} [a-z]{2,}.*\d|\d.*[a-z]{2,} [a-z]{2,}", "zh": r"\d.*。|\d.*；"}[lang]
    prose = [
        {
            line
            for line in run_lab([*lab.split(), *words, "--lang", lang]).out.splitlines()
            if re.search(mark, line)
        }
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
    (["attention", "prefix"], "prefix"),
    (["schedule", "--no-such", "3"], "--no-such"),
    (["capacity", "--size", "80"], "--size"),
    (["capacity", "--bandwidth", "400"], "--bandwidth"),
    (["groups"], "COMMAND"),
    (["attention", "groups"], "groups"),
    (["all", "prefix", "groups"], "prefix"),
    (["prefix", "groups", "--lang", "fr"], "--lang"),
    (["prefix", "--lang", "groups"], "--lang"),
    (["prefix", "--json=yes", "groups"], "--json"),
    (["prefix", "groups", "--kv"], "--kv"),
    (["prefix", "--no-such"], "--no-such"),
    (["prefix", "--salt", "groups", "--no-such"], "--no-such"),
    (["prefix", "groups", "groups"], "groups"),
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


LATE = (
    "must follow prefix at once, before its knobs;"
    " only --lang, --json, --predict and --html may stand between"
)


@pytest.mark.parametrize(
    ("words", "err"),
    [
        ("schedule --no-such 3", "--no-such: no such option here (got --no-such)"),
        ("attention prefix", "prefix: one word too many (got prefix)"),
        ("prefix groups prefix", "prefix: one word too many (got prefix)"),
        *[
            (words, "prefix: no such word can follow it; known are groups, replay (got nonsense)")
            for words in ("prefix nonsense", "--json prefix --lang en nonsense", "prefix --salt a nonsense")
        ],
        *[
            (f"prefix {knob} groups", f"groups: {LATE} (got groups)")
            for knob in (
                "--block-size 3",
                "--kv-blocks 5",
                "--kv-blocks=5",
                "--kv-blocks 5 --json",
                "--block-size=3 --lang=en",
            )
        ],
        ("prefix groups --a 1,2", "--a: no such option here (got --a)"),
        ("prefix groups --scheme=lab", "--scheme=lab: no such option here (got --scheme=lab)"),
        ("prefix --prompt 1,2", "--prompt: no such option here (got --prompt)"),
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


def test_refused_sub_words_in_chinese(run_lab: RunLab) -> None:
    for words in (["prefix", "nonsense"], ["prefix", "--block-size", "3", "groups"]):
        for line in (["--lang", "zh", *words], [*words, "--lang=zh"]):
            ran = run_lab(line)
            assert (ran.code, ran.out) == (2, "")
            assert re.fullmatch(r"error: (prefix|groups): [^\n]*[\u4e00-\u9fff][^\n]* \(got \w+\)\n", ran.err)


@pytest.mark.parametrize(
    "words", [["--help"], *([*command, "--help"] for command in [*PARTS, ["all"], ["answers"]])], ids=" ".join
)
def test_help(run_lab: RunLab, words: list[str]) -> None:
    """Every command has help, in both languages; its layout is argparse's."""
    english, chinese = (run_lab(["--lang", lang, *words]) for lang in ("en", "zh"))
    assert (english.code, chinese.code) == (0, 0)
    assert (english.err, chinese.err) == ("", "")
    assert "--lang" in english.out
    assert english.out.isascii()
    assert re.search("[\u4e00-\u9fff]", chinese.out)


def test_help_of_a_command_names_its_sub_words(run_lab: RunLab) -> None:
    for index, lang in enumerate(("en", "zh")):
        for words in (["prefix", "--help"], ["--help"]):
            out = " ".join(run_lab(["--lang", lang, *words]).out.split())
            assert "prefix groups" in out
            assert "".join(COMMAND_HELP["prefix groups"][index].split()) in "".join(out.split())
        assert "groups" not in run_lab(["--lang", lang, "attention", "--help"]).out
        assert "--kv-blocks" in run_lab(["--lang", lang, "prefix", "groups", "--help"]).out
        assert "--kv-blocks" not in run_lab(["--lang", lang, "prefix", "--help"]).out


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
