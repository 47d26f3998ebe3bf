"""The entry point as a process of its own: bytes, pipes, disks, signals, start-up.

Turned red by: output that depends on hash seed, working directory, locale or Python version; a closed
pipe that prints an exception; a full disk that goes unnoticed; a traceback on Ctrl-C; an import that
doubles the start-up time.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labs import LABS
from tests.documented import DOCUMENTED

if TYPE_CHECKING:
    from tests.conftest import RunProcess

SLOW_TO_IMPORT = ("argparse", "dataclasses", "typing", "json", "re")


def interpreters() -> dict[str, str]:
    """Every other CPython from 3.10 up that this machine has, by version."""
    found = {}
    for version in (f"3.{minor}" for minor in range(10, 20)):
        managed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
        python = str(managed[-1]) if managed else shutil.which(f"python{version}")
        if python is not None:
            found[version] = python
    return found


INTERPRETERS = interpreters()
UTF8 = {"PYTHONIOENCODING": "utf-8"}


@pytest.fixture(scope="module")
def expected(run_process: RunProcess) -> dict[str, bytes]:
    """What `all` prints in each language, as UTF-8."""
    ran = {lang: run_process(["--lang", lang, "all"], environment=UTF8) for lang in ("en", "zh")}
    assert all((one.returncode, one.stderr) == (0, b"") for one in ran.values())
    return {lang: one.stdout for lang, one in ran.items()}


def test_documented_lines_under_c(run_process: RunProcess) -> None:
    """`all` with no option under LC_ALL=C is English, and holds every documented line once."""
    ran = run_process(["all"], environment={"LC_ALL": "C"})
    assert (ran.returncode, ran.stderr) == (0, b"")
    lines = ran.stdout.decode("ascii").splitlines()
    assert {line: lines.count(line) for line in DOCUMENTED["en"]} == dict.fromkeys(DOCUMENTED["en"], 1)


ENVIRONMENTS = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "12345"},
    {"LANG": "zh_CN.UTF-8"},
    {"LC_ALL": "de_DE.UTF-8"},
    {"LANGUAGE": "zh:en", "LC_ALL": "C.UTF-8"},
    {"PYTHONUTF8": "0", "LC_ALL": "C"},
    {"COLUMNS": "30", "TERM": "dumb", "NO_COLOR": "1"},
    {"TZ": "Asia/Shanghai", "PYTHONDONTWRITEBYTECODE": "1"},
    {"PYTHONOPTIMIZE": "2"},
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=str)
def test_bytes_under_any_environment(
    run_process: RunProcess, expected: dict[str, bytes], environment: dict[str, str], lang: str
) -> None:
    """With --lang nothing in the environment changes a byte."""
    ran = run_process(["--lang", lang, "all"], environment={**UTF8, **environment})
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, b"", expected[lang])


def test_bytes_from_another_directory(
    run_process: RunProcess, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """The working directory does not matter, even if it holds a module by our names."""
    for name in ("labs.py", "json.py", "argparse.py"):
        (tmp_path / name).write_text("raise SystemExit(99)\n", encoding="utf-8")
    ran = run_process(["--lang", "zh", "all"], environment=UTF8, cwd=tmp_path)
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, b"", expected["zh"])


@pytest.mark.parametrize("version", INTERPRETERS)
def test_bytes_of_other_pythons(run_process: RunProcess, expected: dict[str, bytes], version: str) -> None:
    """Every CPython from 3.10 up that is there prints the same, documents too."""
    python = INTERPRETERS[version]
    for lang in ("en", "zh"):
        ran = run_process(["--lang", lang, "all"], environment=UTF8, python=python)
        assert (ran.returncode, ran.stderr, ran.stdout) == (0, b"", expected[lang])
    words = ["schedule", "--budget", "2", "--json"]
    ran = run_process(words, environment=UTF8, python=python)
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, b"", run_process(words, environment=UTF8).stdout)
    words = ["prefix", "--json", "groups", "--kv-blocks", "5"]
    ran = run_process(words, environment=UTF8, python=python)
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, b"", run_process(words, environment=UTF8).stdout)
    for words in (["prefix", "nonsense"], ["prefix", "--block-size", "3", "groups"]):
        refused = run_process(words, environment=UTF8, python=python)
        assert (refused.returncode, refused.stderr.count(b"\n")) == (2, 1)
        assert refused.stderr == run_process(words, environment=UTF8).stderr
    refused = run_process(["schedule", "--nothing", "2"], environment=UTF8, python=python)
    assert refused.returncode == 2
    assert refused.stderr == run_process(["schedule", "--nothing", "2"], environment=UTF8).stderr
    unknown = run_process(["nonsense"], environment=UTF8, python=python)
    assert unknown.returncode == 2
    assert unknown.stderr == run_process(["nonsense"], environment=UTF8).stderr


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "latin-1"])
def test_narrow_streams(run_process: RunProcess, expected: dict[str, bytes], encoding: str) -> None:
    """The stream keeps an encoding that was asked for; what it cannot hold becomes a question mark."""
    for lang in ("en", "zh"):
        ran = run_process(["--lang", lang, "all"], environment={"PYTHONIOENCODING": encoding})
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert ran.stdout == expected[lang].decode("utf-8").encode(encoding, "replace")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_locale_without_chinese_gives_the_same_bytes(
    run_process: RunProcess, expected: dict[str, bytes], lang: str
) -> None:
    """With Python's own remedies off, the C locale makes standard output ASCII."""
    ascii_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (["--lang", lang, "all"], ["all", f"--lang={lang}"]):
        ran = run_process(words, environment=ascii_locale)
        assert (ran.returncode, ran.stderr, ran.stdout) == (0, b"", expected[lang])


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors of a child")
@pytest.mark.parametrize("target", [None, "/dev/full"], ids=["closed", "full"])
def test_bad_input_is_2_where_nobody_can_be_told(root: Path, target: str | None) -> None:
    def spoil_stderr() -> None:
        os.close(2)
        if target is not None:
            os.open(target, os.O_WRONLY)

    command = [sys.executable, str(root / "inference_lab.py"), "schedule", "--budget", "0"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, preexec_fn=spoil_stderr, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")


LINES = [["all"], ["--lang", "zh", "all"], [], ["schedule", "--json"], ["schedule", "--help"], ["--help"]]


@pytest.mark.parametrize("words", LINES, ids=lambda words: " ".join(words) or "nothing")
def test_closed_pipe_is_silent(run_process: RunProcess, words: list[str]) -> None:
    """As in `... | true`."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = run_process(words, stdout=writing)
    finally:
        os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", LINES, ids=lambda words: " ".join(words) or "nothing")
def test_full_disk_is_one_line(run_process: RunProcess, words: list[str]) -> None:
    """Exit 2 and the reason, once."""
    with Path("/dev/full").open("wb") as full:
        ran = run_process(words, stdout=full)
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1
    assert ran.stderr.startswith(b"error: stdout: ")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that can close a stream")
def test_no_standard_output_is_one_line(root: Path) -> None:
    """As with `>&-`."""
    line = 'exec "$0" "$1" all >&-'
    ran = subprocess.run(
        ["sh", "-c", line, sys.executable, str(root / "inference_lab.py")], stderr=subprocess.PIPE, timeout=60
    )
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1
    assert ran.stderr.startswith(b"error: stdout: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_interrupt_is_130_and_silent(root: Path, tmp_path: Path) -> None:
    """Ctrl-C while a file is being read (a named pipe that nobody fills)."""
    fifo = tmp_path / "tokens"
    os.mkfifo(fifo)
    command = [sys.executable, str(root / "inference_lab.py"), "prefix", "--a", f"@{fifo}"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # a shell starts what it runs in the background with Ctrl-C ignored, and that is inherited
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    writing = None
    try:
        for _ in range(500):  # open for writing succeeds once the other side is reading
            try:
                writing = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
            assert process.poll() is None
            time.sleep(0.02)
        assert writing is not None
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        if writing is not None:
            os.close(writing)
    assert (process.returncode, out, err) == (130, b"", b"")


PROBE = """
import sys
sys.path.insert(0, {root!r})
before = set(sys.modules)
import inference_lab
code = inference_lab.main({words!r})
loaded = sorted(set(sys.modules) - before)
import json
print(json.dumps([code, loaded]), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["all"],
        ["--lang", "zh", "all"],
        *([lab] for lab in LABS),
        ["prefix", "groups"],
        ["prefix", "--lang", "zh", "groups"],
    ],
    ids=lambda words: " ".join(words),
)
def test_plain_runs_import_nothing_slow(root: Path, words: list[str]) -> None:
    """The limit on start-up time, kept by what is not imported."""
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE.format(root=str(root), words=words)],
        capture_output=True,
        timeout=60,
    )
    code, loaded = json.loads(ran.stderr.decode().splitlines()[-1])
    assert code == 0
    assert [name for name in SLOW_TO_IMPORT if name in loaded] == []
