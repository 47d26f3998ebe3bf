"""`--predict` on the command line: where it may stand, what is printed and what is not, exit codes."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labs import LABS

if TYPE_CHECKING:
    from tests.conftest import RunLab

RIGHT = (
    "Round 1: A decode 1, B decode 1\nRound 2: A decode 1, B decode 1\nRound 3: A decode 1, C prefill 1\n"
    "Round 4: C prefill 2\nRound 5: C prefill 2\nRound 6: C prefill 2\nRound 7: C prefill 2\n"
    "Round 8: C prefill 1, D prefill 1\nRound 9: C decode 1, D prefill 1\nRound 10: C decode 1, D decode 1"
)
IN_CHINESE = RIGHT.replace("Round ", "轮").replace(": ", "：").replace(", ", "，")


@pytest.mark.parametrize(("lang", "right"), [("en", RIGHT), ("zh", IN_CHINESE)])
def test_a_learner_corrects_budget_2(run_lab: RunLab, lang: str, right: str) -> None:
    """The course's exercise: a wrong prediction, its first difference, the next one, at last the truth."""
    line = ["schedule", "--budget", "2", "--lang", lang, "--predict"]
    wrong = right.replace("C prefill 1", "D prefill 1", 1)
    first = run_lab([*line, wrong])
    assert (first.code, first.err) == (1, "")
    place = {
        "en": "first difference: round 3, request C (admission_order)\n",
        "zh": "第一处不同：第 3 轮，请求 C（admission_order）\n",
    }
    assert first.out.startswith(place[lang])
    assert "D" in first.out
    assert "decode 1" not in first.out, "the lab's own result is not given away"
    second = run_lab(
        [*line, wrong.replace("D prefill 1", "C prefill 1", 1).replace("C prefill 2", "C prefill 1", 1)]
    )
    assert second.code == 1
    assert "(budget_unused)" in second.out or "（budget_unused）" in second.out
    last = run_lab([*line, right])
    assert (last.code, last.err) == (0, "")
    said = {"en": "prediction right: 10 of 10 rounds", "zh": "预测正确：全部 10 轮"}
    assert last.out.startswith(said[lang])


@pytest.mark.parametrize(
    "words",
    [
        ["schedule", "--predict", "A1 C7"],
        ["--predict", "A1 C7", "schedule"],
        ["--predict=A1 C7", "schedule"],
        ["--json", "--predict", "A1 C7", "--lang", "en", "schedule"],
        ["schedule", "--predict=A1 C7", "--json"],
    ],
    ids=" ".join,
)
def test_it_stands_before_or_after_the_command(run_lab: RunLab, words: list[str]) -> None:
    ran = run_lab([*words, *(["--json"] if "--json" not in words else [])])
    assert (ran.code, ran.err) == (1, "")
    document = json.loads(ran.out)
    assert (document["schema"], document["lab"]) == (1, "schedule")
    assert document["params"]["budget"] == 8
    assert set(document) == {"schema", "lab", "params", "prediction"}
    assert document["prediction"]["right"] is False
    first = document["prediction"]["first_difference"]
    told = [first[key] for key in ("cause", "round", "request", "predicted", "actual")]
    assert told == ["decode_left_out", 1, "B", 0, 1]


def test_a_right_prediction_as_json(run_lab: RunLab) -> None:
    ran = run_lab(["schedule", "--budget", "2", "--json", "--predict", RIGHT])
    assert ran.code == 0
    assert json.loads(ran.out)["prediction"] == {"right": True, "checked": 10, "first_difference": None}


def test_from_a_file_and_from_standard_input(
    run_lab: RunLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.txt"
    line = ["schedule", "--budget", "2", "--predict"]
    for text in (IN_CHINESE, RIGHT, RIGHT.replace("\n", "\r\n"), "\ufeff" + RIGHT.replace("\n", "\r\n")):
        path.write_bytes(text.encode())
        assert run_lab([*line, f"@{path}"]).code == 0
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run_lab([*line, "-"]).code == 0
        assert run_lab([*line, text]).code == 0


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["schedule", "--predict", "Ａ１ Ｂ１ Ｃ６｜Ａ１ Ｂ１ Ｃ４ Ｄ２｜A1 C1 D1｜C1"], 0),
        (["schedule", "--predict", "A1 B1 C6\\nA1 B1 C4 D2\\nA1 C1 D1\\r\\nC1"], 0),
        (["prefix", "--predict", "ＴＦＦ"], 0),
        (["attention", "--predict", "重算　１０，缓存　４"], 0),
        (["capacity", "--predict", "ｋｖ＝１２８ＫｉＢ"], 0),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_as_keyboards_and_shells_give_it(run_lab: RunLab, line: list[str], code: int) -> None:
    ran = run_lab(line)
    assert (ran.code, ran.err) == (code, "")


def test_utf_16_is_refused(run_lab: RunLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(RIGHT.encode("utf-16"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RIGHT.encode("utf-16"))))
    for given, where in ((f"@{path}", path), ("-", "stdin")):
        ran = run_lab(["schedule", "--budget", "2", "--predict", given])
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"error: {where}:1: is UTF-16, ")
        assert "save it as UTF-8" in ran.err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["schedule", "--predict", "Round 1: A decode 1\nRound 2: A one"],
            "--predict, line 2, round 2: .*A one",
        ),
        (["schedule", "--predict", ""], "--predict: .*nothing"),
        (["schedule", "--predict", "@nowhere.txt"], "--predict: .*nowhere.txt"),
        (["schedule", "--predict"], "--predict: .*nothing"),
        (["--predict", "A1"], "--predict: .*nothing"),
        (["all", "--predict", "A1"], "--predict: .*--predict"),
        (["--predict", "A1", "all"], "--predict: goes with attention, .*all"),
        (["--predict", "A1", "prefix", "groups"], "--predict: goes with .*prefix groups"),
        (["schedule", "--predict", "A1", "--log"], "--log: .*--predict.*"),
        (["schedule", "--predict", "A1", "--compare", "vllm"], "--compare: .*--predict.*"),
        (["schedule", "--predict", "A1", "--timeline", "x.json"], "--timeline: .*--predict.*"),
        (["schedule", "--predict", "A1", "--budget", "0"], "--budget: .*0"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_cannot_be_read_is_one_line(run_lab: RunLab, words: list[str], error: str, lang: str) -> None:
    ran = run_lab([*words, "--lang", lang])
    assert (ran.code, ran.out) == (2, "")
    if lang == "en":
        assert re.fullmatch(rf"error: {error}\)\n", ran.err), ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", [*LABS, "capacity fit", "capacity fetch"])
def test_help_names_it(run_lab: RunLab, command: str) -> None:
    assert "--predict TEXT|@FILE|-" in run_lab([*command.split(), "--help"]).out
