"""inference_lab: predict what an LLM engine will do, run it, see where you were wrong.

The one entry point: reads the command line, calls a lab, writes what it says, returns an exit code.
It knows no lab's inside. Exit codes: 0 fine, 1 an answer is wrong or an equality fails, 2 bad input,
130 interrupted.
"""

from __future__ import annotations

import os
import sys

from labs import LABS
from labs.base import LabError, Record
from labs.view.languages import LANGUAGES, language_of, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any, TextIO

MODULES = {**{lab: f"labs.{lab}" for lab in LABS}, "answers": "answers.check"}
COMMANDS = (*LABS, "all", "answers")


class Request(Record):
    """A command line that was understood: the command (None: say what there is) and its options."""

    command: str | None
    lang: str
    as_json: bool
    knobs: dict[str, Any]


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    lang = _lang_for_errors(words)
    try:
        request = plain_request(words, lang) or parsed_request(words, lang)
        text, code = perform(request)
        write(text)
        return code
    except LabError as error:
        from labs.view.errors import error_line

        print(error_line(error, lang), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def plain_request(words: list[str], lang: str) -> Request | None:
    """The request of a line that has a command and no knobs; None leaves the line to argparse.

    Most lines a learner types are such, and importing argparse would nearly double their time. The
    tests hold this to the parser's own reading.
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
    return Request(rest[0], lang, as_json, {})


def parsed_request(words: list[str], lang: str) -> Request:
    """The request of any line, by argparse; `LabError` if it cannot be understood."""
    from labs.options import RefusedError

    try:
        options = vars(build_parser(lang, words).parse_args(words))
    except RefusedError as refused:
        raise refused.error from None
    command = options.pop("command")
    lang = options.pop("lang", lang)
    as_json = options.pop("as_json", False)
    return Request(command, lang, as_json, options)


def build_parser(lang: str = "en", words: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the commands that stand among the words; the others are known by name only."""
    from labs.command_line import LabParser
    from labs.options import flag, knob, one_of
    from labs.view.catalog.entry import COMMAND_HELP, OPTION_HELP, TEXTS

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
            _face(name).add_arguments(command)
    return parser


def perform(request: Request) -> tuple[str, int]:
    """What a request prints, and its exit code."""
    if request.command is None:
        from labs.view.catalog.entry import TEXTS

        return texts(TEXTS, request.lang)["overview"], 0
    names = LABS if request.command == "all" else (request.command,)
    faces = [_face(name) for name in names]
    results = [face.run(getattr(face, "params", face.Params)(**request.knobs)) for face in faces]
    code = 0 if all(result.holds for result in results) else 1
    if not request.as_json:
        parts = [face.render(result, request.lang) for face, result in zip(faces, results)]
        return "\n".join(parts), code
    documents = [
        {"schema": 1, "lab": name, **face.document(result)}
        for name, face, result in zip(names, faces, results)
    ]
    if request.command == "all":
        documents = [{"schema": 1, "lab": "all", "results": documents}]
    import json

    return json.dumps(documents[0], indent=1, allow_nan=False) + "\n", code


def _face(name: str) -> Any:
    __import__(MODULES[name])  # importlib would cost as much as two labs
    return sys.modules[MODULES[name]]


def write(text: str) -> None:
    """Write all of the text to standard output; a closed pipe is silent, a full disk a `LabError`."""
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise LabError("stdout", "cannot_write", reason="it is closed")
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:
        _discard_stdout()
        raise LabError("stdout", "cannot_write", reason=error.strerror) from None


def _discard_stdout() -> None:
    """Point standard output at the null device, so that the interpreter's own flush stays silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _lang_for_errors(words: list[str]) -> str:
    """The language asked for, even if the rest of the line turns out to be wrong."""
    for word, following in zip(words, [*words[1:], ""]):
        for lang in LANGUAGES:
            if word == f"--lang={lang}" or (word == "--lang" and following == lang):
                return lang
    return language_of(os.environ)


if __name__ == "__main__":
    raise SystemExit(main())
