"""`schedule bench` from the command line: text in its order, JSON, CSV, goodput, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.schedule.bench_check import TESTS, block_text, detailed
from tests.schedule.test_bench_checks import BASE, rate

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

DETAILED = str(TESTS / "golden" / "bench_detailed.json")
QUEUED = str(TESTS / "golden" / "bench_summary_concurrency4.json")


def rates(folder: Path) -> list[str]:
    """Files of a server of 10 req/s at the course's rates."""
    paths = []
    for offered, served in ((1, 1.0), (4, 4.0), (8, 8.0), (16, 10.0), (32, 10.0)):
        value = {**BASE, **rate(offered, served), "max_concurrency": None, "max_concurrent_requests": 60}
        paths.append(str(folder / f"rate{offered}.json"))
        Path(paths[-1]).write_text(json.dumps(value), encoding="utf-8")
    return paths


def test_json_of_one_result(run_json: RunJson) -> None:
    """Figures as printed, recomputed, checks, goodput null."""
    document = run_json(["schedule", "bench", DETAILED])
    assert document["lab"] == "schedule bench"
    assert document["params"] == {"results": [DETAILED], "goodput": None, "csv": None}
    (one,) = document["result"]["files"]
    assert (one["path"], one["form"], one["generation"]) == (DETAILED, "json_detailed", "2025/26")
    assert one["figures"]["completed"] == 24
    assert one["figures"]["mean_ttft_ms"] == one["recomputed"]["mean_ttft_ms"] == 18.443265
    assert (one["differing"], one["goodput"], one["good_requests"], one["true_peak"]) == ([], None, None, 4)
    assert {"name", "low", "high", "printed", "holds"} == set(one["checks"][0])
    assert all(check["holds"] for check in one["checks"])
    assert "peak_is_not_concurrency" in one["warnings"]
    assert document["result"]["knee"] is None
    assert [point["rate"] for point in document["result"]["rates"]] == [12]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([DETAILED, "--goodput", "ttft:20", "tpot:3"], id="limits-last"),
        pytest.param(["--goodput", "ttft:20", "tpot:3", DETAILED], id="limits-first"),
        pytest.param(["--goodput", "ttft:20", DETAILED, "--goodput", "tpot:3"], id="twice"),
        pytest.param([DETAILED, "--goodput=ttft:20", "--goodput=tpot:3"], id="equals-sign"),
    ],
)
def test_goodput_in_any_order(words: list[str], run_json: RunJson) -> None:
    """15 of 24 meet both limits (see test_bench_detailed)."""
    document = run_json(["schedule", "bench", *words])
    assert document["params"]["goodput"] == {"ttft": 20.0, "tpot": 3.0}
    (one,) = document["result"]["files"]
    assert one["good_requests"] == 15
    assert one["goodput"] == round(15 / detailed()["duration"], 6)
    assert "goodput_unknown" not in one["warnings"]


def test_json_over_rates(run_json: RunJson, tmp_path: Path) -> None:
    """The knee is 16, the plan 7 req/s; M/M/1 waits 1 / (10 - rate)."""
    paths = rates(tmp_path)
    result = run_json(["schedule", "bench", *reversed(paths)])["result"]
    assert result["load"] == "request_rate"
    assert [point["rate"] for point in result["rates"]] == [1, 4, 8, 16, 32]
    assert [point["path"] for point in result["rates"]] == paths
    assert [point["mm1_wait_s"] for point in result["rates"]] == [0.111111, 0.166667, 0.5, None, None]
    assert (result["knee"]["rate"], result["plan"], result["capacity"]) == (16, 7.0, 10.0)
    assert (result["peak"]["rate"], len(result["curves"])) == (16, 1)


def test_text_in_its_order(run_lab: RunLab, tmp_path: Path) -> None:
    """Setup, trace, result, why, does not show, next; labels and definitions."""
    code, out, err = run_lab(["schedule", "bench", *rates(tmp_path)])
    assert (code, err) == (0, "")
    places = [out.index(part) for part in ("schedule bench: 5 results", "\nOver request_rate", "\nresult: ")]
    places += [out.index(part) for part in ("\nknee: 16", "\nWhy: ", "\nDoes not show: ", "\nNext: ")]
    assert places == sorted(places)
    assert "knee: 16 (measured 1000.00 tok/s); plan with 7.00 req/s, 70 % of the 10.00 req/s" in out
    assert "measured" in out
    assert "M/M/1 wait: model" in out
    assert "without bound" in out
    assert out.endswith("\n")


def test_text_of_one_result_in_chinese(run_lab: RunLab) -> None:
    """Figures and engine words are the same."""
    code, out, _ = run_lab(["schedule", "bench", DETAILED, "--lang", "zh"])
    english = run_lab(["schedule", "bench", DETAILED, "--lang", "en"]).out
    assert code == 0
    assert "由明细重算：37 项，全部一致" in out
    assert "recomputed from the lists: 37 figures, none differs" in english
    table = [line for line in english.splitlines() if line.lstrip().startswith(("ttft ", "itl ", "e2el "))]
    assert len(table) == 3
    assert all(line in out for line in table)


def test_a_difference_is_told_with_its_mistake(run_lab: RunLab, tmp_path: Path) -> None:
    """Exit code 1, both values, what prints it."""
    value = detailed()
    value["mean_tpot_ms"] *= 15 / 16
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    code, out, err = run_lab(["schedule", "bench", str(path)])
    assert (code, err) == (1, "")
    row = next(line for line in out.splitlines() if line.lstrip().startswith("mean_tpot_ms "))
    assert row.split()[1:3] == ["2.391034", "2.550436"]
    assert "(E2EL - TTFT) / n, not n - 1" in row
    assert "result: it contradicts itself" in out
    assert "37 figures, one differs" in out
    assert "mean_tpot_ms is printed as 2.391034, and the lists give 2.550436" in out


def test_a_failing_check_is_told(run_lab: RunLab, tmp_path: Path) -> None:
    """With the range that the other figures leave."""
    path = tmp_path / "block.txt"
    path.write_text(block_text({**BASE, "output_throughput": 210.0}), encoding="utf-8")
    code, out, _ = run_lab(["schedule", "bench", str(path)])
    assert code == 1
    assert "output_throughput is printed as 210.0000, and the other figures allow 199.9800 to 200.0200" in out


def test_csv(run_lab: RunLab, tmp_path: Path) -> None:
    """One line a result, in the order of the rates; what is not known is empty."""
    target = tmp_path / "rates.csv"
    paths = rates(tmp_path)
    assert run_lab(["schedule", "bench", *paths, "--csv", str(target)]).code == 0
    lines = target.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("curve,path,load_kind,load,request_throughput,output_throughput,mean_ttft_ms,")
    assert lines[1] == f"1,{paths[0]},request_rate,1,1,100,500,30,3470,,0.111111,0,"
    assert lines[4] == f"1,{paths[3]},request_rate,16,10,1000,500,30,3470,,,1,"
    assert len(lines) == 6


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param([], "error: RESULT: name at least one benchmark result", id="nothing"),
        pytest.param(["none.json"], "error: RESULT: no such file (got none.json)", id="no-file"),
        pytest.param(["--goodput", "ttft:200"], "error: RESULT: name at least one", id="limits-alone"),
        pytest.param(
            [DETAILED, "--goodput", "ttft=200"], "error: --goodput: must be ttft:MS, tpot:MS", id="="
        ),
        pytest.param([DETAILED, "--goodput", "itl:20"], "error: --goodput: must be ttft:MS", id="no-limit"),
        pytest.param([DETAILED, "--goodput", "ttft:-1"], "error: --goodput: must be ttft:MS", id="negative"),
        pytest.param([DETAILED, "--goodput", "ttft:"], "error: --goodput: must be ttft:MS", id="no-number"),
        pytest.param([DETAILED, "--goodput"], "error: --goodput: needs a value", id="no-value"),
        pytest.param(
            [DETAILED, "--goodput", "ttft:1", "ttft:2"],
            "error: --goodput: this limit stands twice",
            id="twice",
        ),
        pytest.param([DETAILED, "--csv", DETAILED], "error: --csv: is the file that is read", id="input"),
    ],
)
def test_bad_input(words: list[str], expected: str, run_lab: RunLab) -> None:
    """One line, nothing on standard output."""
    code, out, err = run_lab(["schedule", "bench", *words])
    assert (code, out) == (2, "")
    assert err.startswith(expected)
    assert err.count("\n") == 1


def test_many_results_are_told_shortly(run_lab: RunLab, tmp_path: Path) -> None:
    """Of a thousand only what is wrong, and no more than forty of them."""
    path = tmp_path / "many.json"
    wrong: dict[str, Any] = {**BASE, "output_throughput": 210.0}
    lines = [json.dumps({**wrong, "seed": seed}) + "\n" for seed in range(1000)]
    path.write_text("".join(lines), encoding="utf-8")
    code, out, _ = run_lab(["schedule", "bench", str(path)])
    assert code == 1
    assert "results not shown here: 960" in out
    assert "result: 1000 of 1000 results contradict themselves" in out


def test_both_results_of_the_engine_hold(run_lab: RunLab) -> None:
    """One detailed, one with a queue and four at once: no curve of one server."""
    code, out, _ = run_lab(["schedule", "bench", DETAILED, QUEUED])
    assert code == 0
    assert "knee: none is told: max_concurrency is not the same at all rates" in out
