"""inference_lab: predict what an LLM engine will do, run it, see where you were wrong.

The one entry point: reads the command line, calls a lab, writes what it says, returns an exit code.
It knows no lab's inside. Exit codes: 0 fine, 1 an answer is wrong or an equality fails, 2 bad input,
130 interrupted.
"""

from __future__ import annotations

import os
import sys

from labs import LABS
from labs.base import LabError
from labs.command_line import Request, build_parser, face, language_asked_for, parsed_request, plain_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

__all__ = ["build_parser", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    lang = language_asked_for(words, os.environ)
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


def perform(request: Request) -> tuple[str, int]:
    """What a request prints, and its exit code."""
    if request.command is None:
        from labs.view.catalog.entry import overview

        return request.knobs.get("help", overview(request.lang)), 0
    names = LABS if request.command == "all" else (request.command,)
    faces = [face(name) for name in names]
    results = [lab.run(getattr(lab, "params", lab.Params)(**request.knobs)) for lab in faces]
    code = 0 if all(result.holds for result in results) else 1
    if not request.as_json:
        return "\n".join([lab.render(result, request.lang) for lab, result in zip(faces, results)]), code
    import json

    documents = [
        {"schema": 1, "lab": name, **lab.document(result)} for name, lab, result in zip(names, faces, results)
    ]
    whole = {"schema": 1, "lab": "all", "results": documents} if request.command == "all" else documents[0]
    return json.dumps(whole, indent=1, allow_nan=False) + "\n", code


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


if __name__ == "__main__":
    raise SystemExit(main())
