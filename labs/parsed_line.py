"""Reading a command line that has options, by argparse, in the lab's own words: one line for what is wrong.

`--predict`, `--bug` and `--html` are added here, to the commands whose faces have what they take.
"""

from __future__ import annotations

from labs import LABS
from labs.base import LabError, require
from labs.command_line import (
    BUG_FACES,
    COMMANDS,
    MODULES,
    PAGE_COMMANDS,
    SUBCOMMANDS,
    WITH_BUG,
    WITH_PREDICTION,
    CommandLine,
    face,
    is_predictable,
)
from labs.options import RefusedError, flag, knob, one_of
from labs.parser import HelpAskedError, LabParser
from labs.view.languages import LANGUAGES, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

VALUED = ("--lang", "--predict", "--html")  # the common options that take a value


def parsed_line(words: Sequence[str], lang: str) -> CommandLine:
    """What any line asks for, by argparse; `LabError` if it cannot be understood."""
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
    html = options.pop("html", None)
    if html is not None:
        require(command is not None, "--html", "needs_command", "nothing")
        require(command in PAGE_COMMANDS, "--html", "goes_with", command, choices=", ".join(PAGE_COMMANDS))
        require("predict" not in options, "--html", "not_with", "--html", other="--predict")
    if "bug" in options:
        for option, is_given in (("--predict", "predict" in options), ("--html", html is not None)):
            require(not is_given, option, "not_with", option, other="--bug")
        command += WITH_BUG
    if "predict" in options:
        require(command is not None, "--predict", "needs_command", "nothing")
        if command not in MODULES or not is_predictable(command):
            known = ", ".join([name for name in (*LABS, *SUBCOMMANDS) if is_predictable(name)])
            raise LabError("--predict", "goes_with", command, choices=known)
        command += WITH_PREDICTION
    return CommandLine(command, lang, as_json, options, html)


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
    from labs.view.catalog.entry import COMMAND_HELP, TEXTS

    parser = LabParser(prog="inference_lab.py", lang=lang, description=texts(TEXTS, lang)["what"])
    _add_common(parser)
    _add_prediction(parser, "")
    _add_page(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    helps = texts(COMMAND_HELP, lang)
    for name, help in helps.items():
        longer = [f"  {other}   {helps[other]}" for other in SUBCOMMANDS if other.startswith(f"{name} ")]
        epilog = "\n".join([texts(TEXTS, lang)["sub_words"], *longer]) if longer else None
        command = commands.add_parser(name, lang=lang, help=help, description=help, epilog=epilog)
        _add_common(command)
        if name in PAGE_COMMANDS:
            _add_page(command)
        if name in words and name in MODULES:
            face(name).add_arguments(command)
            if is_predictable(name):
                _add_prediction(command, name)
            if name in BUG_FACES:
                _add_bug(command, name)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    from labs.view.catalog.entry import OPTION_HELP

    knob(parser, "--lang", one_of(LANGUAGES), OPTION_HELP["lang"], metavar="{en,zh}")
    flag(parser, "--json", OPTION_HELP["json"], dest="as_json")


def _add_prediction(parser: argparse.ArgumentParser, command: str) -> None:
    from labs.prediction import read_prediction
    from labs.view.catalog.predict import FORMS, HELP

    english, chinese = [text + form for text, form in zip(HELP["--predict"], FORMS[command])]
    knob(parser, "--predict", read_prediction, (english, chinese), metavar="TEXT|@FILE|-")


def _add_page(parser: argparse.ArgumentParser) -> None:
    from labs.files.page_file import read_page_path
    from labs.view.catalog.page import HELP

    knob(parser, "--html", read_page_path, HELP["--html"], metavar="FILE")


def _add_bug(parser: argparse.ArgumentParser, lab: str) -> None:
    from labs.bugs import bug_reader, bugs_of
    from labs.view.catalog.bugs import HELP

    names = bugs_of(lab)
    knob(parser, "--bug", bug_reader(lab), HELP["--bug"], metavar="{" + ",".join(names) + "}")
