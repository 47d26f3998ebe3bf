"""The report: its template, and which sections are still empty.

Turned red by a template that counts as written, a section that a comment or a box fills.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from answers.report import bodies, empty_sections, template
from labs.view.catalog.answers_report import SECTIONS
from labs.view.languages import LANGUAGES

if TYPE_CHECKING:
    from tests.conftest import RunLab

NAMES = tuple(SECTIONS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_template_is_empty_in_all_seven_sections(run_lab: RunLab, tmp_path: Path, lang: str) -> None:
    ran = run_lab(["answers", "new", "report", "--lang", lang])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == template(lang)
    assert empty_sections(ran.out) == NAMES
    assert len(re.findall(r"^## [1-7]\. ", ran.out, re.MULTILINE)) == 7
    assert ran.out.count("- [ ]") == 11
    path = tmp_path / "report.md"
    path.write_text(ran.out, "utf-8")
    checked = run_lab(["answers", str(path), "--lang", "en"])
    assert checked.code == 0
    assert checked.out.count("still empty") == 7
    assert checked.out.endswith("report: 0 written, 7 empty\n")
    assert "checklist: 11 open" in checked.out


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_report_saved_on_another_system(run_lab: RunLab, tmp_path: Path, lang: str) -> None:
    path, text = tmp_path / "report.md", template(lang).replace("-->\n\n", "-->\n\n12 GiB\n", 1)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert run_lab(["answers", str(path)]).out.endswith("report: 1 written, 6 empty\n")
    path.write_bytes(text.encode("utf-16"))
    ran = run_lab(["answers", str(path)])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        f"error: {path}:1: is UTF-16, as some Windows shells write with >: save it as UTF-8"
    )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("number", range(1, 8))
def test_a_section_that_says_something_is_written(lang: str, number: int) -> None:
    lines = template(lang).split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(f"## {number}."))
    lines.insert(at + 3, "12 GiB of weights")
    assert empty_sections("\n".join(lines)) == NAMES[: number - 1] + NAMES[number:]


FILLINGS = [
    ("", True),
    ("<!-- my note -->", True),
    ("<!-- over\n\ntwo lines -->", True),
    ("### Load\n\n---", True),
    ("- [ ]", True),
    ("```\n```", True),
    ("token distributions and bursts are known", True),
    ("- [x] token distributions and bursts are known", True),
    ("- [x] measured over a week", False),
    ("```\n## 2. in a fence\n```", True),
    ("```\nvllm serve\n```", False),
    ("负载：每秒 4 个请求", False),
    ("| TTFT | 200 ms |", False),
]


@pytest.mark.parametrize(("filling", "empty"), FILLINGS, ids=[repr(filling) for filling, _ in FILLINGS])
def test_what_fills_a_section(filling: str, empty: bool) -> None:
    assert ("setting" in empty_sections(f"## 1. Model\n{filling}\n## 2. Life\nx\n")) is empty
    assert "architecture" not in empty_sections(f"## 1. Model\n{filling}\n## 2. Life\nx\n")


def test_sections_in_any_order_and_missing_ones() -> None:
    text = "# R\nintro\n## 7. f\nx\n## 2\u3001架构\ny\n## Notes\nz\n## 9. more\nw\n"
    assert bodies(text) == {7: "x", 2: "y", 9: "w"}
    assert empty_sections(text) == ("setting", "baseline", "hypothesis", "comparison", "failures")


def test_what_is_no_report(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("# Hello\n")
    ran = run_lab(["answers", str(path)])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {path}: has none of the 7 numbered sections")
    assert run_lab(["answers", "none.md"]).err == "error: none.md: no such file (got none.md)\n"


def test_a_report_beside_a_sheet(run_lab: RunLab, tmp_path: Path) -> None:
    report, sheet = tmp_path / "r.MD", tmp_path / "s.py"
    report.write_text("## 1. Model\nQwen\n")
    sheet.write_text("p4 = 16\n")
    ran = run_lab(["answers", str(report), str(sheet)])
    assert ran.code == 0
    assert "report: 1 written, 6 empty\n" in ran.out
    assert ran.out.endswith("\nanswers: 1 right, 0 wrong, 5 blank\n")
    document = json.loads(run_lab(["answers", str(report), "--json"]).out)
    sections = document["result"]["reports"][0]["sections"]
    assert [section["empty"] for section in sections] == [False] + [True] * 6


def test_chinese(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_text("## 1. 模型\nQwen\n", "utf-8")
    out = run_lab(["answers", str(path), "--lang", "zh"]).out
    assert "1. 模型、硬件或假设、负载、SLO：已写" in out
    assert "2. 架构，以及请求与其 KV 的生命周期：还是空的" in out


def test_a_seed_means_nothing_to_a_report(run_lab: RunLab) -> None:
    assert run_lab(["answers", "new", "report", "--seed", "7"]).err.startswith("error: --seed: cannot stand")
