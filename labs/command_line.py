"""Reading a command line: which command, in which language, with which options.

Lines without knobs are read here; all others by argparse (`labs.parser`), which is imported only then.

A command may have sub-words (`prefix groups`), each a face of its own: add it to SUBCOMMANDS, and its help
to `COMMAND_HELP`. From here on command and sub-word are one name with a blank in it. A positional is added
by the face's `add_arguments`; one that must be given is demanded by its `params`, as a plain line passes
by argparse.

A face with `predicted(result, text)` takes `--predict`. Such a line is read as a command of another name,
with WITH_PREDICTION behind it: its face is a `PredictedFace`, which runs the lab and answers with the first
difference.
"""

from __future__ import annotations

import sys

from labs import LABS
from labs.base import LabError, Record, require
from labs.view.languages import LANGUAGES, language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

SUBCOMMANDS = {
    "prefix groups": "labs.prefix_groups",
    "prefix replay": "labs.prefix_replay",
    "schedule replay": "labs.schedule_replay",
    "schedule bench": "labs.schedule_bench",
    "capacity fit": "labs.capacity_fit",
    "capacity log": "labs.capacity_log",
    "capacity fetch": "labs.capacity_fetch",
    "answers new": "answers.new",
    "answers hint": "answers.hint",
    "answers show": "answers.show",
    "answers grade": "answers.grade",
}
MODULES = {**{lab: f"labs.{lab}" for lab in LABS}, "answers": "answers.check", **SUBCOMMANDS}
COMMANDS = (*LABS, "all", "answers")
WITH_PREDICTION = " --predict"
VALUED = ("--lang", "--predict")  # the common options that take a value


class CommandLine(Record):
    """A command line that was understood: the command, with its sub-word if there is one, and its options.

    Without a command the answer is the text `help` among the options, or what there is.
    """

    command: str | None
    lang: str
    as_json: bool
    knobs: dict[str, Any]


def plain_line(words: Sequence[str], lang: str) -> CommandLine | None:
    """What a line asks for that has a command and no knobs; None leaves the line to argparse.

    Most lines a learner types are such, and importing argparse would nearly double their time. The
    tests hold this to the parser's own reading.

    >>> plain_line(["all", "--lang", "zh"], "en")
    CommandLine(command='all', lang='zh', as_json=False, knobs={})
    >>> plain_line(["prefix", "--json", "groups"], "en").command
    'prefix groups'
    """
    rest = list(words)
    as_json = "--json" in rest
    if as_json:
        rest.remove("--json")
    if "--lang" in rest[:-1]:
        at = rest.index("--lang")
        if rest[at + 1] not in LANGUAGES:
            return None
        lang = rest[at + 1]
        del rest[at : at + 2]
    for command in (*COMMANDS, *SUBCOMMANDS):
        if rest == command.split():
            return CommandLine(command, lang, as_json, {})
    return None


def parsed_line(words: Sequence[str], lang: str) -> CommandLine:
    """What any line asks for, by argparse; `LabError` if it cannot be understood."""
    from labs.options import RefusedError
    from labs.parser import HelpAskedError

    words = _with_command_as_one_word(words)
    option = words[0].split("=")[0] if words else ""
    common = (*VALUED, "--json", "--help", "-h")
    require(not option.startswith("-") or option in common, option, "option_before_command", option)
    try:
        options = vars(build_parser(lang, words).parse_args(_with_negative_values(words)))
    except RefusedError as refused:
        raise refused.error from None
    except HelpAskedError as help:
        return CommandLine(None, lang, False, {"help": str(help)})
    except LabError as error:
        raise _as_sub_word_error(error, words) from None
    command, lang = options.pop("command"), options.pop("lang", lang)
    as_json = options.pop("as_json", False)
    require(command is not None or not as_json, "--json", "needs_command", "nothing")
    if "predict" in options:
        require(command is not None, "--predict", "needs_command", "nothing")
        if command not in MODULES or not is_predictable(command):
            known = ", ".join([name for name in (*LABS, *SUBCOMMANDS) if is_predictable(name)])
            raise LabError("--predict", "not_predictable", command, choices=known)
        command += WITH_PREDICTION
    return CommandLine(command, lang, as_json, options)


def _with_command_as_one_word(words: Sequence[str]) -> list[str]:
    """A command and its sub-word put together; only common options may stand before and between.

    >>> _with_command_as_one_word(["prefix", "--json", "groups", "--change", "2"])
    ['--json', 'prefix groups', '--change', '2']
    """
    places: list[int] = []
    at = 0
    while at < len(words) and len(places) < 2:
        if not words[at].startswith("-"):
            places.append(at)
        elif words[at] != "--json" and words[at].partition("=")[0] not in VALUED:
            break
        at += 2 if words[at] in VALUED else 1
    command = " ".join([words[place] for place in places])
    if command not in SUBCOMMANDS:
        return list(words)
    first, second = places
    return [*words[:first], *words[first + 1 : second], command, *words[second + 1 :]]


def _as_sub_word_error(error: LabError, words: Sequence[str]) -> LabError:
    """The same error, unless a command with sub-words is followed by another word, or by its own too late."""
    from itertools import pairwise

    command = next((word for word in words if word in (*COMMANDS, *SUBCOMMANDS)), "")
    known = [name.partition(" ")[2] for name in SUBCOMMANDS if name.startswith(f"{command} ")]
    if not known or error.rule not in ("surplus_word", "unknown_option"):
        return error
    for before, word in pairwise(words):
        could_be_its_value = before.startswith("-") and "=" not in before and before != "--json"
        if word in known and (word == error.got or not could_be_its_value):
            return LabError(word, "late_sub_word", word, command=command)
    if error.rule == "unknown_option":
        return error
    return LabError(command, "unknown_sub_word", error.got, choices=", ".join(known))


def _with_negative_values(words: Sequence[str]) -> list[str]:
    """`--lengths -5,3` as `--lengths=-5,3`: argparse would take the value for an option."""
    joined: list[str] = []
    for word in words:
        negative = word[:1] == "-" and word[1:2].isdigit()
        if negative and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def build_parser(lang: str = "en", words: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the commands that stand among the words; the others are known by name only."""
    from labs.options import flag, knob, one_of
    from labs.parser import LabParser
    from labs.prediction import read_prediction
    from labs.view.catalog.entry import COMMAND_HELP, OPTION_HELP, TEXTS
    from labs.view.catalog.predict import HELP
    from labs.view.languages import texts

    def add_prediction(parser: argparse.ArgumentParser) -> None:
        knob(parser, "--predict", read_prediction, HELP["--predict"], metavar="TEXT|@FILE|-")

    def add_common(parser: argparse.ArgumentParser) -> None:
        knob(parser, "--lang", one_of(LANGUAGES), OPTION_HELP["lang"], metavar="{en,zh}")
        flag(parser, "--json", OPTION_HELP["json"], dest="as_json")

    parser = LabParser(prog="inference_lab.py", lang=lang, description=texts(TEXTS, lang)["what"])
    add_common(parser)
    add_prediction(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    helps = texts(COMMAND_HELP, lang)
    for name, help in helps.items():
        longer = [f"  {other}   {helps[other]}" for other in SUBCOMMANDS if other.startswith(f"{name} ")]
        epilog = "\n".join([texts(TEXTS, lang)["sub_words"], *longer]) if longer else None
        command = commands.add_parser(name, lang=lang, help=help, description=help, epilog=epilog)
        add_common(command)
        if name in words and name in MODULES:
            face(name).add_arguments(command)
            if is_predictable(name):
                add_prediction(command)
    return parser


def is_predictable(name: str) -> bool:
    """Whether a command's face compares predictions."""
    return hasattr(face(name), "predicted")


def face(name: str) -> Any:
    """The module of a command: a lab, a part of one with a sub-word, or the answer checker.

    With WITH_PREDICTION behind the name, what stands in for it.
    """
    if name.endswith(WITH_PREDICTION):
        from labs.prediction import PredictedFace

        lab = name.removesuffix(WITH_PREDICTION)
        return PredictedFace(lab, face(lab))
    __import__(MODULES[name])  # spares the start importing importlib
    return sys.modules[MODULES[name]]


def language_asked_for(
    words: Sequence[str], environment: Mapping[str, str], encoding: str | None = None
) -> str:
    """The language of a line, even if the rest of it turns out to be wrong.

    What the environment asks for yields to English if the output's encoding has no Chinese.
    """
    for word, following in zip(words, [*words[1:], ""]):
        for lang in LANGUAGES:
            if word == f"--lang={lang}" or (word == "--lang" and following == lang):
                return lang
    lang = language_of(environment)
    try:
        "\u4e2d".encode(encoding or "utf-8")
    except (UnicodeError, LookupError):
        return "en"
    return lang
