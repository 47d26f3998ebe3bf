"""Reading a command line: which command, in which language, with which options.

Lines without knobs are read here; all others by argparse (`labs.parser`), which is imported only then.
"""

from __future__ import annotations

import sys

from labs import LABS
from labs.base import Record, require
from labs.view.languages import LANGUAGES, language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

MODULES = {**{lab: f"labs.{lab}" for lab in LABS}, "answers": "answers.check"}
COMMANDS = (*LABS, "all", "answers")


class CommandLine(Record):
    """A command line that was understood: the command and its options.

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
    if len(rest) != 1 or rest[0] not in COMMANDS:
        return None
    return CommandLine(rest[0], lang, as_json, {})


def parsed_line(words: Sequence[str], lang: str) -> CommandLine:
    """What any line asks for, by argparse; `LabError` if it cannot be understood."""
    from labs.options import RefusedError
    from labs.parser import HelpAskedError

    option = words[0].split("=")[0] if words else ""
    common = ("--lang", "--json", "--help", "-h")
    require(not option.startswith("-") or option in common, option, "option_before_command", option)
    try:
        options = vars(build_parser(lang, words).parse_args(_with_negative_values(words)))
    except RefusedError as refused:
        raise refused.error from None
    except HelpAskedError as help:
        return CommandLine(None, lang, False, {"help": str(help)})
    command, lang = options.pop("command"), options.pop("lang", lang)
    as_json = options.pop("as_json", False)
    require(command is not None or not as_json, "--json", "needs_command", "nothing")
    return CommandLine(command, lang, as_json, options)


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
    from labs.view.catalog.entry import COMMAND_HELP, OPTION_HELP, TEXTS
    from labs.view.languages import texts

    def add_common(parser: argparse.ArgumentParser) -> None:
        knob(parser, "--lang", one_of(LANGUAGES), OPTION_HELP["lang"], metavar="{en,zh}")
        flag(parser, "--json", OPTION_HELP["json"], dest="as_json")

    parser = LabParser(prog="inference_lab.py", lang=lang, description=texts(TEXTS, lang)["what"])
    add_common(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, help in texts(COMMAND_HELP, lang).items():
        command = commands.add_parser(name, lang=lang, help=help, description=help)
        add_common(command)
        if name in words and name in MODULES:
            face(name).add_arguments(command)
    return parser


def face(name: str) -> Any:
    """The module of a command: a lab, or the answer checker."""
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
