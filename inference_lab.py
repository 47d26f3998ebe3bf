"""inference_lab: predict what an LLM engine will do, run it, see where you were wrong.

The one entry point: reads the command line, calls a lab, writes what it says, returns an exit code.
It knows no lab's inside. Exit codes: 0 fine, 1 an answer is wrong or an equality fails, 2 bad input,
130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:  # `python -I` and PYTHONSAFEPATH leave out the script's own folder
    sys.path.insert(0, HERE)

from labs import LABS  # noqa: E402
from labs.base import LabError  # noqa: E402
from labs.command_line import CommandLine, face, language_asked_for, plain_line  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any, TextIO

__all__ = ["build_parser", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Do what a command line says; its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    lang = language_asked_for(words, os.environ, getattr(sys.stdout, "encoding", None))
    try:
        line = plain_line(words, lang) or _line_with_options(words, lang)
        text, files, code = perform(line)
        if files:
            from labs.files.writing import write_together

            write_together(files)
        write(text, in_any_locale=any(word.partition("=")[0] == "--lang" for word in words))
        return code
    except LabError as error:
        complain(error, lang)
        return 2
    except KeyboardInterrupt:
        return 130


def _line_with_options(words: Sequence[str], lang: str) -> CommandLine:
    from labs.parsed_line import parsed_line  # and argparse, which takes as long to import as a lab takes

    return parsed_line(words, lang)


def build_parser(lang: str = "en") -> argparse.ArgumentParser:
    """The argparse parser of every command."""
    from labs import parsed_line

    return parsed_line.build_parser(lang)


def perform(line: CommandLine) -> tuple[str, dict[str, tuple[str, str]], int]:
    """What a command line prints, the files it writes (option -> path, content), and its exit code."""
    if line.command is None:
        from labs.view.catalog.entry import overview

        return line.knobs.get("help", overview(line.lang)), {}, 0
    names = LABS if line.command == "all" else (line.command,)
    faces = [face(name) for name in names]
    results = [lab.run(getattr(lab, "params", lab.Params)(**line.knobs)) for lab in faces]
    code = 0 if all(result.holds for result in results) else 1
    files: dict[str, tuple[str, str]] = {}
    for lab, result in zip(faces, results):
        files |= lab.files(result) if hasattr(lab, "files") else {}
    if line.html is not None:
        from labs.view.page.shell import written

        files["--html"] = line.html, drawn_page(faces, results, line.lang)
        if not line.as_json:  # the page covers what the text would tell
            return written(line.html, line.lang), files, code
    if not line.as_json:
        return "\n".join([lab.render(result, line.lang) for lab, result in zip(faces, results)]), files, code
    import json

    documents = [
        {"schema": 1, "lab": name, **lab.document(result)} for name, lab, result in zip(names, faces, results)
    ]
    whole = {"schema": 1, "lab": "all", "results": documents} if line.command == "all" else documents[0]
    return json.dumps(whole, indent=1, allow_nan=False) + "\n", files, code


def drawn_page(faces: Sequence[Any], results: Sequence[Any], lang: str) -> str:
    """The page of these labs' results, which shows their texts in every language."""
    from labs.view.languages import LANGUAGES
    from labs.view.page.shell import page

    drawn = [
        (lab.figure(result), {each: lab.render(result, each) for each in LANGUAGES})
        for lab, result in zip(faces, results)
    ]
    return page(drawn, lang)


def write(text: str, in_any_locale: bool = False) -> None:
    """Write all of the text to standard output; a closed pipe is silent, a full disk a `LabError`.

    The stream keeps its encoding, and what that does not hold is replaced. If the bytes shall be the same
    in any locale, an encoding that only follows the locale gives way to UTF-8, but on a terminal.
    """
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise LabError("stdout", "cannot_write", "a closed stream")
    if hasattr(stream, "reconfigure"):
        follows_locale = not os.environ.get("PYTHONIOENCODING") and not stream.isatty()
        encoding = "utf-8" if in_any_locale and follows_locale else None
        stream.reconfigure(encoding=encoding, errors="replace")
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:
        _discard_stdout()
        raise LabError("stdout", "cannot_write", error.strerror) from None


def complain(error: LabError, lang: str) -> None:
    """Write the one line on standard error, if there is one to write to."""
    from contextlib import suppress

    from labs.view.errors import error_line

    if sys.stderr is not None:
        with suppress(OSError):
            print(error_line(error, lang), file=sys.stderr, flush=True)


def _discard_stdout() -> None:
    """Point standard output at the null device, so that the interpreter's own flush stays silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    # A run makes records, no cycles: looking for these takes a tenth of `all`, and more of a long simulation.
    gc.disable()
    raise SystemExit(main())
