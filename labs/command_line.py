"""Reading a command line: which command, in which language, with which options.

Lines without knobs are read here; all others by argparse (`labs.parsed_line`), which is imported only then.

A command may have sub-words (`prefix groups`), each a face of its own: add it to SUBCOMMANDS, and its help
to `COMMAND_HELP`. From here on command and sub-word are one name with a blank in it. A positional is added
by the face's `add_arguments`; one that must be given is demanded by its `params`, as a plain line passes
by argparse.

A face with `predicted(result, text)` takes `--predict`. Such a line is read as a command of another name,
with WITH_PREDICTION behind it: its face is a `PredictedFace`, which runs the lab and answers with the first
difference. In the same way `--bug` reads as one with WITH_BUG behind it, whose face stands in BUG_FACES.
"""

from __future__ import annotations

import sys

from labs import LABS
from labs.base import Record
from labs.view.languages import LANGUAGES, language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
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
WITH_BUG = " --bug"
BUG_FACES = {"prefix": "labs.prefix_bug", "schedule": "labs.schedule_bug"}
PAGE_COMMANDS = (*LABS, "all")


class CommandLine(Record):
    """A command line that was understood: the command, with its sub-word if there is one, and its options.

    Without a command the answer is the text `help` among the options, or what there is.
    """

    command: str | None
    lang: str
    as_json: bool
    knobs: dict[str, Any]
    html: str | None = None


def plain_line(words: Sequence[str], lang: str) -> CommandLine | None:
    """What a line asks for that has a command and no knobs; None leaves the line to argparse.

    Most lines a learner types are such, and importing argparse would nearly double their time. The
    tests hold this to the parser's own reading.

    >>> plain_line(["all", "--lang", "zh"], "en")
    CommandLine(command='all', lang='zh', as_json=False, knobs={}, html=None)
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


def is_predictable(name: str) -> bool:
    """Whether a command's face compares predictions."""
    return hasattr(face(name), "predicted")


def face(name: str) -> Any:
    """The module of a command: a lab, a part of one with a sub-word, or the answer checker.

    With WITH_PREDICTION or WITH_BUG behind the name, what stands in for it.
    """
    if name.endswith(WITH_BUG):
        lab = name.removesuffix(WITH_BUG)
        __import__(BUG_FACES[lab])
        return sys.modules[BUG_FACES[lab]].BugFace(lab, face(lab))
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
