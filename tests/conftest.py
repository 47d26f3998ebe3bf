"""What the tests share: running the entry point in process or in a fresh one, and golden data.

Helpers are fixtures of session scope, so that property tests may use them too. The environment of every
test names no language, so what is printed is English unless a test asks otherwise. Property tests draw the
same examples each time, so that a run tells about the change and not about luck.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

import inference_lab

ROOT = Path(inference_lab.__file__).resolve().parent
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
LANGUAGE_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


class Ran(NamedTuple):
    """What a run of the entry point left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


RunLab = Callable[[Sequence[str]], Ran]
RunJson = Callable[[Sequence[str]], dict[str, Any]]
RunProcess = Callable[..., "subprocess.CompletedProcess[bytes]"]
Golden = Callable[[str], Any]


def _run_lab(words: Sequence[str]) -> Ran:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = inference_lab.main(list(words))
        except SystemExit as left:  # argparse leaves this way after --help
            code = left.code if isinstance(left.code, int) else 1
    return Ran(code, out.getvalue(), err.getvalue())


def _run_json(words: Sequence[str]) -> dict[str, Any]:
    ran = _run_lab([*words, "--json"])
    assert (ran.code, ran.err) == (0, ""), ran
    document: dict[str, Any] = json.loads(ran.out)
    assert document["schema"] == 1
    return document


def _run_process(
    words: Sequence[str],
    *,
    python: str = sys.executable,
    flags: Sequence[str] = (),
    cwd: Path = ROOT,
    environment: dict[str, str] | None = None,
    **settings: Any,
) -> subprocess.CompletedProcess[bytes]:
    clean = {
        k: v for k, v in os.environ.items() if k not in LANGUAGE_VARIABLES and not k.startswith("PYTHON")
    }
    if "stdout" not in settings:
        settings["stdout"] = subprocess.PIPE
    return subprocess.run(
        [python, *flags, str(ROOT / "inference_lab.py"), *words],
        cwd=cwd,
        env={**clean, **(environment or {})},
        stderr=subprocess.PIPE,
        timeout=60,
        **settings,
    )


def _golden(name: str) -> Any:
    return json.loads((ROOT / "tests" / "golden" / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session", autouse=True)
def _no_language() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for variable in LANGUAGE_VARIABLES:
            patch.delenv(variable, raising=False)
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def run_lab() -> RunLab:
    """Run the entry point in this process: words -> (code, out, err)."""
    return _run_lab


@pytest.fixture(scope="session")
def run_json() -> RunJson:
    """Run with --json, demand exit code 0 and a silent stderr, return the document."""
    return _run_json


@pytest.fixture(scope="session")
def run_process() -> RunProcess:
    """Run `inference_lab.py` in a fresh interpreter without language or PYTHON* variables."""
    return _run_process


@pytest.fixture(scope="session")
def golden() -> Golden:
    """Read a file of tests/golden/."""
    return _golden


# An answer of a sheet and what follows it up to the next empty line.
ANSWER = re.compile(r"^(p\d)\b.*?(?=\n\n|\n*\Z)", re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with a blank answer sheet, of its tests what the README's commands read."""
    for folder in ("answers", "labs", "tests/cases"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / "project" / folder, ignore=ignored)
    for name in ("inference_lab.py", "pyproject.toml", "tests/golden/bench_detailed.json"):
        (tmp_path / "project" / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "project" / name)
    sheet = tmp_path / "project" / "answers" / "l3.py"
    sheet.write_text(ANSWER.sub(r"\1 = ...", sheet.read_text("utf-8")), "utf-8", newline="\n")
    return tmp_path / "project"
