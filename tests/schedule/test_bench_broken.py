"""`schedule bench` on what does not fit together: too large, given twice, unlike limits, contradictions.

Runs are those of test_bench_checks: 100 requests of a server that serves 10 a second at most.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labs.base import LabError
from labs.files import bench_result
from labs.files.bench_block import read_blocks
from labs.files.bench_result import read_results
from labs.replay.bench.repeats import first_places
from tests.schedule.bench_check import TESTS, block_text, detailed, reading_of, result_of, words
from tests.schedule.test_bench_checks import BASE, curves, rate

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

DETAILED = str(TESTS / "golden" / "bench_detailed.json")
FREE = {**BASE, "max_concurrency": None, "max_concurrent_requests": 60}


def written(folder: Path, content: str, name: str = "result.json") -> str:
    """The path of a new file."""
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return str(path)


def results(folder: Path, *runs: dict[str, Any]) -> list[str]:
    """Paths of a file each."""
    return [written(folder, json.dumps({**FREE, **run}), f"run{i}.json") for i, run in enumerate(runs)]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        pytest.param("\n" * (60 << 20), "bench_no_figures", id="blank"),
        pytest.param("x\n" * 1_000_001, "bench_too_many_lines", id="lines"),
        pytest.param("{" + "\n" * 5_000_001 + "}", "bench_too_many_lines", id="lines-of-json"),
        pytest.param('{"tokens": [' + "1," * 4_000_001 + "1]}", "bench_too_many_entries", id="entries"),
        pytest.param("request --\n" * 800_000 + "x" * (9 << 20), "bench_text_too_large", id="text"),
        pytest.param("\n" * (65 << 20), "too_large", id="bytes"),
    ],
)
def test_what_is_too_large_is_refused_at_once(content: str, rule: str, tmp_path: Path) -> None:
    """Before it is taken apart: well within two seconds."""
    path = written(tmp_path, content)
    begin = time.perf_counter()
    with pytest.raises(LabError) as caught:
        read_results(path, "RESULT")
    assert caught.value.rule == rule
    assert time.perf_counter() - begin < 2


def test_blank_lines_before_a_result_do_no_harm(tmp_path: Path) -> None:
    """However many: the form is told by what comes first."""
    path = written(tmp_path, "\n" * 2000 + json.dumps(BASE))
    (result,) = read_results(path, "RESULT")
    assert result.form == "json_summary"


def test_all_results_of_a_line_are_bounded(
    run_lab: RunLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 over all files, shown with two."""
    monkeypatch.setattr(bench_result, "MAX_RESULTS", 2)
    code, out, err = run_lab(["schedule", "bench", *results(tmp_path, {"seed": 1}, {"seed": 2}, {"seed": 3})])
    assert (code, out) == (2, "")
    assert err == "error: RESULT: holds more than 2 results (got 3)\n"


def test_an_error_of_a_request_that_counts_as_complete() -> None:
    """One of 24 has a text, and the file says that none failed."""
    value = detailed()
    assert "errors_counted_as_complete" not in words(reading_of(value))
    value["errors"][0] = "boom"
    (warned,) = [one for one in reading_of(value).warnings if one.word == "errors_counted_as_complete"]
    assert warned.values == {"errors": 1, "completed": 24}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param("inf", "inf", id="inf"),
        pytest.param("Infinity", "inf", id="infinity"),
        pytest.param("trace", None, id="trace"),
        pytest.param("4.5", 4.5, id="digits"),
    ],
)
def test_rates_that_are_words(given: str, told: object) -> None:
    """Those that tools write; a rate by a trace is none."""
    assert result_of({**BASE, "request_rate": given}).settings.get("request_rate") == told


def test_a_word_is_no_rate() -> None:
    """It would have been passed over in silence."""
    with pytest.raises(LabError) as caught:
        result_of({**BASE, "request_rate": "abc"})
    assert (caught.value.rule, caught.value.got) == ("bench_rate", '"abc"')


def test_a_text_keeps_its_quotes(run_lab: RunLab, tmp_path: Path) -> None:
    """Or (got 24) would be told of what must be a number."""
    err = run_lab(["schedule", "bench", written(tmp_path, '{"completed": "24"}')]).err
    assert err.endswith('completed must be a number (got "24")\n')


@pytest.mark.parametrize(
    ("text", "rule", "got"),
    [
        pytest.param("Mean TTFT (ms): １２.5\n", "bench_digits", "１２.5", id="full-width"),
        pytest.param("Mean TTFT (ms): 1٢.5\n", "bench_digits", "1٢.5", id="arabic"),
        pytest.param("P９９ TTFT (ms): 12.5\n", "bench_digits", "P９９", id="percent"),
        pytest.param("Namespace(num_prompts=５０)\n", "bench_digits", "５０", id="argument"),
        pytest.param("Mean TTFT (ms): 12,5\n", "bench_number", "12,5", id="decimal-comma"),
    ],
)
def test_unreadable_digits_are_refused(text: str, rule: str, got: str) -> None:
    """Where a number must stand; commas part thousands only."""
    with pytest.raises(LabError) as caught:
        read_blocks("Successful requests: 1,000\n" + text, "x")
    assert (caught.value.rule, caught.value.got, caught.value.where) == (rule, got, "x:2")


def test_a_repeat() -> None:
    """Equal figures, and no setting told otherwise; arguments may stand before the first only."""
    told = [
        result_of({**BASE, **more}) for more in ({}, {"request_rate": 2.0}, {"seed": 3}, {}, {"failed": 0})
    ]
    assert first_places(told) == [0, 1, 2, 0, 4]
    head = "Namespace(num_prompts=101, request_rate=2.5)\n"
    blocks = read_blocks(head + block_text({**BASE, "num_prompts": None})[len(head) :] * 3, "x")
    assert first_places(blocks) == [0, 0, 0]


def test_the_same_result_counts_once(run_json: RunJson, run_lab: RunLab, tmp_path: Path) -> None:
    """A file given twice: a warning, no peak and no knee over equal rows."""
    (path,) = results(tmp_path, rate(4, 4.0))
    result = run_json(["schedule", "bench", path, path])["result"]
    assert ["repeated_result" in one["warnings"] for one in result["files"]] == [False, True]
    assert result["files"][1]["warned"][-1] == {"word": "repeated_result", "first": f"{path}:1"}
    assert len(result["rates"]) == 1
    out = run_lab(["schedule", "bench", path, path]).out
    assert "2 results of one file" in out
    assert "peak" not in out.replace("peak_is_not", "")
    assert "knee:" not in out


def test_one_point_of_a_result_given_twice() -> None:
    """A run at rate 4, twice, and one at rate 1: two points."""
    (curve,) = curves(rate(4, 4.0), rate(4, 4.0), rate(1, 1.0))
    assert [point.load for point in curve.points] == [1, 4]


def test_a_plan_needs_results_that_hold() -> None:
    """2.8 of 4 req/s; none if one of the curve prints a wrong throughput."""
    (sound,) = curves(rate(1, 1.0), rate(4, 4.0), rate(8, 4.0))
    assert float(sound.plan or 0) == pytest.approx(2.8)
    wrong = {**rate(8, 4.0), "total_token_throughput": 9.0}
    (curve,) = curves(rate(1, 1.0), rate(4, 4.0), wrong)
    assert (curve.contradicting, curve.knee, curve.plan, curve.capacity) == ((2,), 1, None, None)


def test_no_plan_where_a_result_contradicts_itself(run_lab: RunLab, tmp_path: Path) -> None:
    """Of rates 1, 4, 8 the last prints a wrong throughput: the knee is as printed, and there is no plan."""
    runs = [rate(1, 1.0), rate(4, 4.0), {**rate(8, 4.0), "total_token_throughput": 9.0}]
    paths = results(tmp_path, *runs)
    code, text, _ = run_lab(["schedule", "bench", *paths, "--json"])
    assert code == 1
    result = json.loads(text)["result"]
    assert (result["knee"]["rate"], result["plan"], result["capacity"]) == (4, None, None)
    assert result["contradicting"] == [paths[2]]
    out = run_lab(["schedule", "bench", *paths]).out
    assert (
        "knee: 4 as printed (measured 400.00 tok/s), and no plan: what was measured at 8 contradicts" in out
    )
    assert "result: one of 3 results contradicts itself" in out
    assert "plan with" not in out


UNLIKE = [rate(1, 1.0), {**rate(4, 4.0), "max_concurrency": 30}, rate(8, 4.0)]


def test_unlike_limits_are_told(run_lab: RunLab, tmp_path: Path) -> None:
    """Beside the table, and where the plan would stand."""
    out = run_lab(["schedule", "bench", *results(tmp_path, *UNLIKE)]).out
    assert "unlike_concurrency (4): max_concurrency held requests back here" in out
    assert "no plan: max_concurrency is not the same at all rates" in out


def test_unlike_limits_of_concurrency() -> None:
    """A rate under max_concurrency 30 among rates without: warned of, and no plan."""
    (curve,) = curves(*UNLIKE)
    assert (curve.is_mixed, curve.plan, curve.capacity) == (True, None, None)
    assert [point.warnings for point in curve.points] == [(), ("unlike_concurrency",), ()]
    (alike,) = curves(*({**run, "max_concurrency": 30} for run in (rate(1, 1.0), rate(4, 4.0), rate(8, 4.0))))
    assert not alike.is_mixed
    assert float(alike.plan or 0) == pytest.approx(2.8)


def test_one_rate_under_several_limits_is_a_curve_over_them() -> None:
    """What varies is the load."""
    (curve,) = curves(*({**rate(8, served), "max_concurrency": c} for c, served in ((40, 7.0), (20, 6.0))))
    assert (curve.load_kind, curve.is_mixed) == ("max_concurrency", False)
    assert [point.load for point in curve.points] == [20, 40]


def test_what_is_checked() -> None:
    """Two figures that are bound to each other, or lists; a time above zero is no check."""
    runs: list[dict[str, Any]] = [{"completed": 5}, {"completed": 5, "mean_ttft_ms": 3.0}, BASE, detailed()]
    assert [reading_of(run).is_checked for run in runs] == [False, False, True, True]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([{"completed": 5}], "result: nothing could be checked", id="alone"),
        pytest.param(
            [{"completed": 5, "mean_ttft_ms": 3.0}], "result: nothing could be checked", id="a-time"
        ),
        pytest.param([{"completed": 5}, BASE], "nothing could be checked in 1 of 2 results", id="beside"),
        pytest.param([BASE], "result: every equality that must hold does\n", id="checked"),
    ],
)
def test_what_could_not_be_checked(
    runs: list[dict[str, Any]], expected: str, run_lab: RunLab, tmp_path: Path
) -> None:
    """Is not told to hold; exit code 0, for nothing contradicts itself."""
    paths = [written(tmp_path, json.dumps(run), f"run{i}.json") for i, run in enumerate(runs)]
    code, out, _ = run_lab(["schedule", "bench", *paths])
    assert code == 0
    assert expected in out


def test_a_printed_goodput_without_its_limits_is_marked(run_lab: RunLab) -> None:
    """0.00 stands beside 'unknown, not zero': it is of limits that nobody told."""
    out = run_lab(["schedule", "bench", DETAILED]).out
    assert "request_goodput 0.00 (its limits are not told)" in " ".join(out.split())
    assert "goodput_limits_not_told" in out
    own = run_lab(["schedule", "bench", DETAILED, "--goodput", "ttft:20"]).out
    assert "(its limits are not told)" not in " ".join(own.split())
    assert "goodput_limits_not_told" not in own


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_next_command_stands_alone(lang: str, run_lab: RunLab, tmp_path: Path) -> None:
    """A line of prose, then a command that can be copied and runs."""
    paths = results(tmp_path, rate(1, 1.0), rate(4, 4.0), rate("inf", 8.0))
    for given in ([DETAILED], paths[:1], paths[:2], paths, [*paths, DETAILED]):
        lines = run_lab(["schedule", "bench", *given, "--lang", lang]).out.splitlines()
        assert lines[-1].startswith("python3 inference_lab.py schedule bench ")
        assert "inference_lab" not in "".join(lines[:-1])
        assert run_lab(lines[-1].split()[2:]).code == 0


def test_estimates_have_their_meanings(run_lab: RunLab) -> None:
    """In a row each, in both languages."""
    out = run_lab(["schedule", "bench", DETAILED, "--lang", "en"]).out
    rows = {line.split()[0]: line for line in out.splitlines() if line.startswith("    ") and line.split()}
    assert rows["little"].split(maxsplit=2)[1:] == ["0.66", "requests under way: req/s x e2e_from_parts_s"]
    assert rows["tail_s"].endswith("duration - min_duration_at_rate")
    chinese = run_lab(["schedule", "bench", DETAILED, "--lang", "zh"]).out
    assert "每个 chunk 间隔的 token 数" in chinese


def test_no_line_ends_with_an_opening_bracket() -> None:
    """It belongs to what follows, in lines that are not longer for it."""
    from labs.view.schedule_bench import prose
    from labs.view.tables import display_width

    for width in range(20, 60):
        lines = prose("平均有四个请求在途（按定律），" * 6, width).split("\n")
        assert not any(line.endswith("（") for line in lines)
        assert max(map(display_width, lines)) <= width
