"""The other sheets: keys against the course's published numbers, and the shapes they bring.

Published numbers are typed here once, from the course's tables; what is not the course's was worked by hand.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from answers.message import message
from answers.problem import MALFORMED, RIGHT, WRONG, Problem, Verdict
from answers.sheets import SHEETS, problems_of
from answers.show import answer_text
from labs.view.languages import LANGUAGES

if TYPE_CHECKING:
    from tests.conftest import RunLab

VerdictOn = Callable[[Problem, str], Verdict]


def course(sheet: str, name: str) -> Problem:
    return next(problem for problem in problems_of(sheet, 0) if problem.name == name)


# (sheet, problem, answer); None for a right one, else the mistake, or the form that is missed
ANSWERS: list[tuple[str, str, str, str | None]] = [
    ("module5", "p1", "[32, 128, 768]", None),
    ("module5", "p1", "['32 MiB', '0.125 GiB', '0.75 GiB']", None),
    ("module5", "p2", "[14, 56, 336]", None),
    ("module5", "p3", "[80, 320, 1920]", None),
    ("module5", "p4", "768", None),
    ("module5", "p5", "12.5", None),
    ("module5", "p1", "[128, 512, 3072]", "query_heads"),
    ("module5", "p1", "[16, 64, 384]", "k_or_v_forgotten"),
    ("module5", "p1", "['32 MB', '128 MB', '768 MB']", "decimal_unit"),
    ("module5", "p4", "512", "prompt_only"),
    ("module5", "p4", "256", "output_only"),
    ("module5", "p4", "24", "one_layer"),
    ("module5", "p5", "0.125", "one_request"),
    ("module5", "p6", "[85, '80 GiB', '16 GiB', 1]", None),
    ("module5", "p6", "[79, '80 GB', '16 GB', 1]", None),
    ("module5", "p6", "[74, '80 GiB', '16 GiB', 0.9]", None),
    ("module5", "p6", "[69, '80 GB', '16 GB', 0.9]", None),
    ("module5", "p6", "[86, '80 GiB', '16 GB', 1]", None),
    ("module5", "p6", "[76, '80 GiB', '16 GB', 9/10]", None),
    ("module5", "p6", "[106, '80 GiB', '16 GiB', 1]", "weights_left_out"),
    ("module5", "p6", "[70, '80 GB', '16 GB', 0.9]", "rounded_up"),
    ("module5", "p6", "[85, '80 GB', '16 GB', 1]", ""),
    ("module5", "p6", "85", "not_reading"),
    ("module5", "p6", "[85, 80, 16, 1]", "not_reading"),
    ("module5", "p6", "[85, '80 GiB', '16 GiB']", "not_reading"),
    ("module5", "p6", "[85, '81 GiB', '16 GiB', 1]", "other_sizes"),
    ("module5", "p6", "[85, '80 GiB', '16 GiB', 90]", "other_sizes"),
    ("schedule", "p1", "[0, 0, 1, 2, 2, 2, 2, 1, 1, 1]", None),
    ("schedule", "p2", "[3, 2, 10, 10]", None),
    ("schedule", "p3", "[9, 8, 10, 10]", None),
    ("schedule", "p4", "[3, 2, 11, 10]", None),
    ("schedule", "p5", "[9, 8, 8, 7]", None),
    ("schedule", "p6", "[3, 2, 10, 10]", None),
    ("schedule", "p7", "[2, 6]", None),
    ("schedule", "p2", "[9, 8, 10, 10]", "prefills_first"),
    ("schedule", "p2", "[9, 8, 8, 7]", "phases_apart"),
    ("schedule", "p3", "[3, 2, 10, 10]", "decodes_first"),
    ("schedule", "p2", "[3, 2, 3, 3]", "no_budget"),
    ("setup", "p1", "50", None),
    ("setup", "p2", "4", None),
    ("setup", "p3", "1907", None),
    ("setup", "p3", "2048", "binary"),
    ("setup", "p3", "1908", "rounded_up"),
    ("setup", "p4", "[1600, 51200]", None),
    ("setup", "p4", "[3200, 102400]", "same_blocks"),
    ("setup", "p5", "40960", None),
    ("setup", "p6", "[10, 50]", None),
    ("setup", "p6", "[10, 100]", "offered"),
    ("setup", "p7", "100", None),
    ("setup", "p7", "20", "service_only"),
    ("setup", "p8", "35", None),
    ("reuse", "p1", "[0, 12, 4, 0]", None),
    ("reuse", "p1", "[0, 14, 4, 0]", "full_hit"),
    ("reuse", "p1", "[0, 12, 8, 0]", "unchained"),
    ("reuse", "p1", "[0, 12, 4, 12]", "same_text"),
    ("reuse", "p2", "[14, 2, 10, 18]", None),
    ("reuse", "p2", "[14, 2, 10, 14]", "others_left_out"),
    ("reuse", "p3", "True", None),
    ("reuse", "p3", "False", "not_yet"),
    ("reuse", "p3", "1", "not_yes"),
    ("reuse", "p3", "'yes'", "not_yes"),
    ("metrics", "p1", "240", None),
    ("metrics", "p1", "340", "clock"),
    ("metrics", "p2", "50", None),
    ("metrics", "p2", "40", "by_n"),
    ("metrics", "p2", "88", "from_sent"),
    ("metrics", "p3", "[40, 50, 40, 70]", None),
    ("metrics", "p4", "440", None),
    ("metrics", "p5", "[2, 1]", None),
    ("metrics", "p5", "[2, 1.5]", "ttft_only"),
    ("metrics", "p5", "[2, 2]", "goodput_as_throughput"),
    ("metrics", "p6", "320", None),
    ("metrics", "p6", "1600", "with_prompts"),
    ("warmup", "p1", "24576", None),
    ("warmup", "p1", "24000", "thousand"),
    ("warmup", "p1", "'24 MiB'", "bare"),
    ("warmup", "p2", "8 * 2**30 / 10**9", None),
    ("warmup", "p2", "8.59", "rounded"),
    ("warmup", "p3", "50", None),
    ("warmup", "p3", "3200", "bits_for_bytes"),
    ("warmup", "p4", "30", None),
    ("warmup", "p4", "221", "multiplied"),
    ("warmup", "p5", "[10, 16]", None),
    ("warmup", "p5", "[16, 10]", "swapped"),
    ("warmup", "p6", "10240", None),
    ("warmup", "p7", "2", None),
    ("warmup", "p7", "1", "second"),
    ("warmup", "p7", "[2]", "bare"),
    ("warmup", "p7", "5", ""),
    ("bugs", "p1", "[2, 2]", None),
    ("bugs", "p1", "[2, 3]", "from_one"),
    ("bugs", "p1", "[2, 0]", "too_early"),
    ("bugs", "p1", "[1, 2]", "other_invariant"),
    ("bugs", "p1", "[1, 0]", ""),
    ("bugs", "p1", "[2, 5]", ""),
    ("bugs", "p2", "[4, 2]", None),
    ("bugs", "p2", "[4, 3]", "too_late"),
    ("bugs", "p2", "[4, 0]", "too_early"),
    ("bugs", "p3", "[1, 2]", None),
    ("bugs", "p3", "[1, 4]", "load"),
    ("bugs", "p3", "[1, 1]", "too_early"),
    ("bugs", "p3", "[1, 5]", "too_late"),
    ("bugs", "p4", "[2, 2]", None),
    ("bugs", "p4", "[2, 5]", "admitted"),
    ("bugs", "p4", "[2, 3]", "too_late"),
    ("bugs", "p5", "[3, 8]", None),
    ("bugs", "p5", "[3, 4]", "preempted"),
    ("bugs", "p5", "[3, 9]", "too_late"),
    ("bugs", "p5", "[2, 8]", "other_invariant"),
    ("bugs", "p6", "[4, 3]", None),
    ("bugs", "p6", "[4, 4]", "preempted"),
    ("bugs", "p6", "[4, 2]", "too_early"),
    ("bugs", "p7", "[1, 2]", None),
    ("bugs", "p7", "[1, 1]", "too_early"),
    ("bugs", "p7", "[1, 3]", "too_late"),
    ("bugs", "p8", "[2, 8]", None),
    ("bugs", "p8", "[2, 11]", "too_late"),
    ("bugs", "p8", "[2, 4]", "too_early"),
    ("bugs", "p8", "8", "bare"),
]


@pytest.mark.parametrize(
    ("sheet", "name", "text", "mistake"), ANSWERS, ids=[f"{s}-{n}-{t}" for s, n, t, _ in ANSWERS]
)
def test_answers(verdict_on: VerdictOn, sheet: str, name: str, text: str, mistake: str | None) -> None:
    verdict = verdict_on(course(sheet, name), text)
    if mistake is None:
        assert verdict.state == RIGHT
    else:
        state = MALFORMED if verdict.reason else WRONG
        assert (verdict.state, verdict.reason or verdict.mistake or "") == (state, mistake)


def test_every_problem_has_a_right_answer_in_the_table() -> None:
    seen = {(sheet, name) for sheet, name, _, mistake in ANSWERS if mistake is None}
    ticked = {("reuse", f"p{n}") for n in range(4, 9)}
    options = {("warmup", "p8"), ("warmup", "p9")}
    all_of_them = {(sheet, p.name) for sheet in SHEETS if sheet != "l3" for p in problems_of(sheet, 0)}
    assert all_of_them == seen | ticked | options


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("sheet", [sheet for sheet in SHEETS if sheet != "l3"])
def test_messages_hold_no_number_from_nowhere(verdict_on: VerdictOn, sheet: str, lang: str) -> None:
    """Each tempting mistake's message: its numbers stand in the question or in the answer."""
    for seed in (0, 5, 6):
        for problem in problems_of(sheet, seed):
            key = answer_text(problem)
            texts = ["...", "'x'", "[1, 'x']", "[]", "0.125"]
            for mistake in problem.mistakes:
                for answer in mistake.answers(problem.inputs):
                    parts = [str(part) for part in answer]
                    texts.append(f"[{', '.join(parts)}]" if problem.shape in ("list", "two") else parts[0])
            for text in texts:
                verdict = verdict_on(problem, text)
                if verdict.state not in (WRONG, MALFORMED):
                    continue
                said = message(verdict, "SHEET", lang, "COMMAND").split("\n")
                *asked_and_given, check, _ = said[1:]
                assert "{" not in check, (problem.name, check)
                for number in re.findall(r"\d+(?:\.\d+)?", check):
                    assert number in re.findall(r"\d+(?:\.\d+)?", " ".join(asked_and_given)), (
                        problem.name,
                        check,
                    )
                assert len(key) < 6 or key not in check


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_says_whether_numbers_may_carry_units(run_lab: RunLab, sheet: str) -> None:
    """Where every question wants bare numbers, a text with a unit is malformed."""
    said = " ".join(run_lab(["answers", "new", sheet]).out.replace("\n#", "").split())
    bare = sheet in ("warmup", "bugs")
    assert ("Numbers stand without units." in said) == bare
    assert ('as in "96 MiB" or "0.5 s"' in said) == (not bare)


def test_options_are_asked_in_their_order(run_lab: RunLab) -> None:
    first, second = (run_lab(["answers", "new", "warmup", "--seed", seed]).out for seed in ("1", "2"))
    for text in (first, second):
        options = re.findall(r"^# (\d)\) (keys|queries|the attention|the logits)", text, re.MULTILINE)
        assert [number for number, _ in options] == ["1", "2", "3", "4"]
        assert len({words for _, words in options}) == 4


def test_pytest_checks_any_sheet(root: Path, run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    text = run_lab(["answers", "new", "warmup", "--seed", "4"]).out
    for problem in problems_of("warmup", 4)[:2]:
        text = text.replace(f"{problem.name} = ...", f"{problem.name} = {answer_text(problem)}")
    path.write_text(text.replace("p3 = ...", "p3 = 1"), "utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "INFER"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "answers", "-p", "no:hypothesispytest"],
        cwd=root,
        env={**environment, "LANGUAGE": "C", "INFERENCE_LAB_SHEET": str(path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert " 1 failed, 2 passed, 6 skipped in " in done.stdout, done.stdout


def test_files_stay_short(root: Path) -> None:
    files = [*root.glob("answers/**/*.py"), *root.glob("labs/view/catalog/answers*.py")]
    long = [path.name for path in files if len(path.read_text("utf-8").splitlines()) > 250]
    assert long == []
