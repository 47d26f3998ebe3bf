"""A new learner's way through the course's exercises, as it is typed, in a copy of the project.

What is right comes from the course's own page (its lab C and its table of six answers), what is typed wrongly
from its list of what learners get wrong. Turned red by a diagnosis that names another round or mistake, by an
exit code that a script cannot rely on, by a message that gives the answer away, by one language only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documented import L3_ANSWERS

# The course: lab C with budget 2, ten rounds.
RIGHT_ROUNDS = "A1 B1 | A1 B1 | A1 C1 | C2 | C2 | C2 | C2 | C1 D1 | C1 D1 | C1 D1"
FIRST = {
    "en": "first difference: round {round}{request} ({cause})\n",
    "zh": "第一处不同：第 {round} 轮{request}（{cause}）\n",
}
REQUEST = {"en": ", request {name}", "zh": "，请求 {name}"}
SAID_RIGHT = {
    "en": "prediction right: 10 of 10 rounds are as the rule gives them.\n",
    "zh": "预测正确：全部 10 轮都与规则给出的一致。\n",
}
CHECK = {"en": "     check: ", "zh": "     检查："}

# What was predicted first; where and why it fails; what the reason names.
PREDICTIONS = [
    ("C gets the rest of 8", "A1 B1 C6 | A1 B1 C4 D2 | A1 C1 D1 | C1", 1, "", "over_budget", ["8", "2"]),
    ("prefills first", "C2 | C2 | C2 | C2 | C2 | A1 B1", 1, "A", "decode_left_out", ["decode-first"]),
    ("C waits for B only", "A1 B1 | A1 B1 | A1 | A1 C1", 3, "C", "budget_unused", ["10"]),
    ("D before C", "A1 B1 | A1 B1 | A1 D1 | C1 D1", 3, "C", "admission_order", ["D"]),
    (
        "the end of the prefill decodes, too",
        RIGHT_ROUNDS.replace("| C1 D1", "| C2", 1),
        8,
        "C",
        "more_than_left",
        ["1"],
    ),
]
# Two mistakes at once, and a word of each diagnosis in both languages.
SHEETS = [
    ({"p4": "32", "p6": "[30, 30]"}, {"en": ["logits", "overlap"], "zh": ["logits", "重叠"]}),
    (
        {"p2": "[6, 8]", "p5": "[10, 10]"},
        {"en": ["logical position", "goodput"], "zh": ["逻辑位置", "goodput"]},
    ),
    ({"p1": "[2, 0.5]", "p3": "[3, 1, 2]"}, {"en": ["K and V", "lengths"], "zh": ["K 和 V", "长度"]}),
]


def typed(project: Path, *words: str) -> tuple[int, str]:
    """Exit code and output of a command that is understood."""
    done = subprocess.run(
        [sys.executable, "inference_lab.py", *words],
        cwd=project,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("wrong", "round", "name", "cause", "told"),
    [case[1:] for case in PREDICTIONS],
    ids=[case[0] for case in PREDICTIONS],
)
def test_a_prediction_is_corrected(
    project: Path, wrong: str, round: int, name: str, cause: str, told: list[str], lang: str
) -> None:
    line = ["schedule", "--budget", "2", "--lang", lang, "--predict"]
    code, out = typed(project, *line, wrong)
    assert code == 1
    request = REQUEST[lang].format(name=name) if name else ""
    assert out.startswith(FIRST[lang].format(round=round, request=request, cause=cause))
    why = out.partition("Why: " if lang == "en" else "原因：")[2]
    assert [word for word in told if word not in why] == []
    code, out = typed(project, *line, RIGHT_ROUNDS)
    assert code == 0
    assert out.startswith(SAID_RIGHT[lang])


def filled_in(sheet: Path, answers: dict[str, str]) -> None:
    """Write the answers over what stands there, as in an editor."""
    text = sheet.read_text("utf-8")
    for name, answer in answers.items():
        text, count = re.subn(rf"^{name} = .*$", f"{name} = {answer}", text, flags=re.MULTILINE)
        assert count == 1
    sheet.write_text(text, "utf-8", newline="\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("mistakes", "words"), SHEETS, ids=[" ".join(mistakes) for mistakes, _ in SHEETS])
def test_a_sheet_with_two_mistakes_is_corrected(
    project: Path, mistakes: dict[str, str], words: dict[str, list[str]], lang: str
) -> None:
    sheet = project / "my_l3.py"
    shutil.copy(project / "answers" / "l3.py", sheet)
    line = ["answers", "my_l3.py", "--lang", lang]
    code, out = typed(project, *line)
    assert (code, out.splitlines()[-1]) == (0, "answers: 0 right, 0 wrong, 6 blank")

    filled_in(sheet, {**L3_ANSWERS, **mistakes})
    code, out = typed(project, *line)
    assert (code, out.splitlines()[-1]) == (1, "answers: 4 right, 2 wrong, 0 blank")
    checks = [text.removeprefix(CHECK[lang]) for text in out.splitlines() if text.startswith(CHECK[lang])]
    assert len(set(checks)) == 2
    assert all(word in check for word, check in zip(words[lang], checks, strict=True)), checks
    for name in mistakes:
        at = next(
            i
            for i, text in enumerate(sheet.read_text("utf-8").splitlines(), 1)
            if text.startswith(f"{name} =")
        )
        assert f"my_l3.py:{at}" in out
        assert not [check for check in checks if L3_ANSWERS[name].strip("[]") in check]

    filled_in(sheet, {name: L3_ANSWERS[name] for name in mistakes})
    code, out = typed(project, *line)
    assert (code, out.splitlines()[-1]) == (0, "answers: 6 right, 0 wrong, 0 blank")
