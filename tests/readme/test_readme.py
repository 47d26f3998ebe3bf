"""The README is run: each shell block that is not marked as set-up, and what it says is printed.

A ```text block right after a ```sh block is that block's output; a line `...` stands for lines left out.
Under `<!-- exit 1 -->` stands what is wrong on purpose, such as a prediction; `> FILE` ends a line.
The blocks run in a copy of the labs whose answer sheet is blank, as the README shows it: a learner may have
filled in the sheet that stands here.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"<!-- (not run: .*|test line|exit 1) -->\s*\Z")
EXIT_1 = "exit 1"


class Block(NamedTuple):
    line: int
    language: str
    text: str
    mark: str


def blocks() -> list[Block]:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL):
        before = readme[: match.start()]
        mark = MARK.search(before)
        found.append(Block(before.count("\n") + 1, match[1], match[2], mark[1] if mark else ""))
    return found


BLOCKS = blocks()
RUN = [block for block in BLOCKS if block.language == "sh" and block.mark in ("", EXIT_1)]


def expected_output(block: Block) -> str | None:
    following = BLOCKS[BLOCKS.index(block) + 1 :]
    return following[0].text if following and following[0].language == "text" else None


def run(command: str, project: Path, code: int) -> str:
    """Run a line of a block as a learner would, without a shell; `python3` is this interpreter."""
    words = shlex.split(command, comments=True)
    written = words[-1] if words[-2:-1] == [">"] else None
    words = words if written is None else words[:-2]
    if words and words[0] in ("python3", "python"):
        words[0] = sys.executable
    clean = {k: v for k, v in os.environ.items() if k not in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")}
    done = subprocess.run(
        words, cwd=project, env={**clean, "PYTHONUTF8": "1"}, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stderr.decode()
    if written is None:
        return done.stdout.decode("utf-8")
    (project / written).write_bytes(done.stdout)
    return ""


@pytest.mark.parametrize("block", RUN, ids=[f"line {block.line}" for block in RUN])
def test_a_block_runs_and_prints_what_the_readme_says(block: Block, project: Path) -> None:
    code = int(block.mark == EXIT_1)
    printed = "".join(run(line, project, code) for line in block.text.splitlines() if line.strip())
    expected = expected_output(block)
    if expected is None:
        return
    at = 0
    for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE):
        found = printed.find(part, at)
        assert found >= 0, f"README line {block.line}: not printed (any more):\n{part}"
        at = found + len(part)


def test_blocks_that_are_not_run_are_these() -> None:
    not_run = [block.text.split(" ")[0:3] for block in BLOCKS if block.mark not in ("", EXIT_1)]
    assert not_run == [
        ["python3", "-m", "venv"],
        ["from", "vllm", "import"],
        ["vllm", "serve", "Qwen/Qwen3-8B"],
        ["for", "rate", "in"],
    ]


def test_every_block_has_a_language_and_is_run_or_output_or_marked() -> None:
    for block in BLOCKS:
        known = block.language in ("sh", "text") or block.mark.startswith("not run")
        assert known, f"README line {block.line}"
    assert len(RUN) >= 6


def test_every_command_has_a_section() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("attention", "prefix", "schedule", "capacity", "all", "answers"):
        assert f"inference_lab.py {command}" in readme
