"""A replay as text in both languages, as JSON, as CSV and as a timeline; progress on a terminal."""

from __future__ import annotations

import io
import json
import re
import shlex
import string
from fractions import Fraction
from pathlib import Path

import pytest

from labs import schedule_replay
from labs.replay.served import Served
from labs.view import progress
from labs.view.catalog.errors_replay import REPLAY_RULES
from labs.view.catalog.schedule_replay import KNOBS, TEXTS
from labs.view.schedule_replay_files import slices
from labs.view.schedule_replay_next import command_options
from tests.schedule.replay_line import RANDOM, mooncake, parsed, result_of

LANGUAGES = ("en", "zh")
SWEEPS = [
    pytest.param([], id="no sweep"),
    pytest.param(["--sweep-rate", "1,4,8,40,inf"], id="rates with a knee"),
    pytest.param(["--sweep-rate", "1,2"], id="rates without a knee"),
    pytest.param(["--sweep-blocks", "21,30,42,100"], id="blocks with a cliff"),
    pytest.param(["--sweep-blocks", "21"], id="blocks below"),
    pytest.param(["--kv-blocks", "22", "--goodput", "ttft:200", "tpot:50"], id="tight"),
    pytest.param(["--rule", "static", "--max-num-seqs", "2"], id="no pool"),
    pytest.param(["--burstiness", "inf", "--seed", "3", "--no-prefix-caching"], id="knobs"),
]


def text(*words: str, lang: str = "en") -> str:
    return schedule_replay.render(result_of(*words), lang)


def document(*words: str) -> dict[str, object]:
    return schedule_replay.document(result_of(*words))["result"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("words", SWEEPS)
def test_the_page_has_its_parts_in_order(words: list[str], lang: str) -> None:
    page = text(*RANDOM, *words, lang=lang)
    heads = {
        "en": [
            "schedule replay:",
            "Time of a step",
            "First requests",
            "Latency",
            "Why:",
            "Does not",
            "Next:",
        ],
        "zh": ["schedule replay：", "一步的时间", "最先到达", "延迟", "原因：", "没有显示", "下一步："],
    }[lang]
    places = [page.index(head) for head in heads]
    assert places == sorted(places)
    assert page.endswith("\n")
    assert not page.endswith("\n\n")
    assert page.isascii() == (lang == "en")
    assert not re.search(r"[{}]", page)


def numbers(page: str) -> list[str]:
    return sorted(re.findall(r"\d[\d,.]*\d|\d", page.replace("\n", "")))


@pytest.mark.parametrize("words", SWEEPS)
def test_figures_are_the_same_in_both_languages(words: list[str]) -> None:
    tables = [
        [
            line
            for line in text(*RANDOM, *words, lang=lang).splitlines()
            if re.match(r"  (r?\d|TTFT +\d|TPOT)", line)
        ]
        for lang in LANGUAGES
    ]
    english, chinese = ([numbers(line) for line in table] for table in tables)
    assert english == chinese


@pytest.mark.parametrize("words", SWEEPS)
def test_the_next_command_runs(words: list[str]) -> None:
    last = text(*RANDOM, *words).splitlines()[-1]
    command = shlex.split(last)
    assert command[:4] == ["python3", "inference_lab.py", "schedule", "replay"]
    result_of(*command[4:])


@pytest.mark.parametrize(
    "words",
    [
        [*RANDOM, "--kv-blocks", "50", "--block-size", "8", "--cost", "base=5ms,prefill=20us,kv=40ns"],
        [*RANDOM, "--rule", "nano-vllm", "--budget", "400", "--max-num-seqs", "3"],
        [*RANDOM, "--watermark", "0.25", "--kv-blocks", "90", "--policy", "priority", "--no-chunked-prefill"],
        ["--random", "3", "--rate", "inf", "--input-len", "9", "--output-len", "2", "--burstiness", "0.5"],
    ],
)
def test_the_command_gives_the_same_parameters(words: list[str]) -> None:
    found = parsed(*words)
    assert parsed(*shlex.split(command_options(found))) == found


def test_each_line_of_figures_says_what_it_is(tmp_path: Path) -> None:
    page = text(mooncake(tmp_path), "--goodput", "ttft:20")
    for label in (
        "(model, none was given",
        "measured (read from the file): 3 requests",
        "Latency in ms (model)",
    ):
        assert label in page
    for label in ("Throughput (model)", "Goodput (model)", "Counted: 3 of 3", "Counted: no preemption"):
        assert label in page
    assert "model (drawn at random)" in text(*RANDOM)


def test_goodput_without_limits_is_unknown(tmp_path: Path) -> None:
    trace = mooncake(tmp_path)
    assert "unknown and not zero" in text(trace)
    assert document(trace)["request_goodput"] is None


def test_definitions_stand_beside_the_figures() -> None:
    page = text(*RANDOM)
    for definition in (
        "TTFT   first output token - arrival",
        "TPOT   (E2EL - TTFT) / (output tokens - 1)",
        "ITL    each gap between two tokens, all requests pooled",
        "E2EL   last output token - arrival",
    ):
        assert definition in page


def test_answers_of_one_token_are_told_as_left_out(tmp_path: Path) -> None:
    page = text(mooncake(tmp_path))
    assert "2 requests of one output token without a TPOT" in page
    assert "1 of output length 0 or none, taken as one token each" in page


def test_who_waits_for_ever_is_told() -> None:
    page = text(*RANDOM, "--budget", "200", "--no-chunked-prefill")
    assert "Stuck, for ever: 20 requests left waiting" in page


def test_why_names_the_cap_on_running_requests() -> None:
    tight = ("--rate", "400", "--max-num-seqs", "3")
    page = " ".join(text(*RANDOM, *tight).split())
    assert "max_num_seqs 3" in page
    assert "Most requests running at once: 3, all that --max-num-seqs allows." in page
    assert "capped by max_num_seqs, not by KV" in page
    assert "capped" not in text(*RANDOM)
    assert "max_num_seqs 256" in " ".join(text(*RANDOM).split())
    assert "max_num_seqs" not in text(*RANDOM, "--rule", "decode-first")
    assert "in a batch" in text(*RANDOM, *tight, "--rule", "static")


def test_outputs_cut_at_the_models_length_are_told() -> None:
    """Prompts of 300: room for 29 of the 30 outputs."""
    assert "20 requests ended at max_model_len 329" in text(*RANDOM, "--max-model-len", "329")
    assert "ended at max_model_len" not in text(*RANDOM, "--max-model-len", "330")
    assert document(*RANDOM, "--max-model-len", "329")["cut_outputs"] == 20


def test_a_cliff_above_all_numbers_does_not_contradict_itself() -> None:
    chats = str(Path(__file__).parents[1] / "cases" / "traces" / "chats.jsonl")
    page = text(chats, "--sweep-blocks", "17,18,19")
    prose = " ".join(page.split())
    assert "Cliff: at 19, the largest number tried, somebody is still preempted, so it lies above." in prose
    assert "Nobody is preempted at 17 either, though it is fewer" in prose
    assert "--sweep-blocks 22,25,28,32" in page.splitlines()[-1]  # up to the 32 that nobody limits


def test_a_knee_beyond_the_last_finite_rate() -> None:
    page = text(*RANDOM, "--sweep-rate", "1,2,inf")
    prose = " ".join(page.split())
    assert "Knee: not among these rates." in prose
    assert "than at 2, so it lies above 2: sweep on between 2 and inf" in prose
    assert page.splitlines()[-1].endswith("--sweep-rate 2,4,8,16,inf")
    alone = " ".join(text(*RANDOM, "--sweep-rate", "inf").split())
    assert "Knee: unknown." in alone


def test_one_is_no_plural() -> None:
    one = ("--random", "1", "--rate", "inf", "--input-len", "8", "--output-len", "1", "--budget", "8")
    page = " ".join(text(*one).split())
    for told in (
        " 1 request, rule",
        "1 request of one output token",
        "1 of 1 request completed in 1 step;",
        "no preemption",
    ):
        assert told in page
    assert "1 output token (mean 1)" in page
    assert not re.search(r"(?<![\d,.])1 (requests|steps|preemptions|output tokens)", page)


def test_where_a_rate_that_was_not_given_comes_from() -> None:
    assert "no --rate: all at once, as `vllm bench serve`" in " ".join(text("--random", "2").split())
    assert "the first rate of the sweep" in " ".join(text("--random", "2", "--sweep-rate", "3").split())


def test_small_rates_have_three_digits_that_say_something() -> None:
    slow = ("--random", "3", "--rate", "0.00000000123", "--input-len", "8", "--output-len", "2")
    page = text(*slow)
    assert "0.00000000123 a second" in page
    assert "Throughput (model): 0 req/s" not in page


@pytest.mark.parametrize("lang", [0, 1], ids=LANGUAGES)
def test_the_help_is_that_of_this_command(lang: int) -> None:
    assert "auto" not in KNOBS["--max-model-len"][lang]
    assert "linear" not in KNOBS["--prefix-caching"][lang]
    assert "256" in KNOBS["--max-num-seqs"][lang]
    assert "inf" in KNOBS["--rate"][lang]
    assert "1024" in KNOBS["--input-len"][lang]
    assert "128" in KNOBS["--output-len"][lang]


def test_why_names_the_larger_part_of_ttft() -> None:
    assert "is the prompt's own steps" in text(*RANDOM)
    assert "is queueing" in text(*RANDOM, "--rule", "static", "--max-num-seqs", "1", "--cost", "base=50ms")


VLLM_NAMES = [
    *("completed", "duration", "total_input_tokens", "total_output_tokens", "request_throughput"),
    *("request_goodput", "output_throughput", "total_token_throughput"),
    *(
        f"{key}_{name}_ms"
        for name in ("ttft", "tpot", "itl", "e2el")
        for key in ("mean", "median", "std", "p50", "p95", "p99")
    ),
]


def test_json_has_the_names_of_a_benchmark_result_and_our_own(tmp_path: Path) -> None:
    found = document(mooncake(tmp_path))
    ours = [
        "queue_ms",
        "prefill_ms",
        "preemptions",
        "peak_blocks",
        "peak_blocks_share",
        "total_cached_tokens",
    ]
    for key in (*VLLM_NAMES, *ours, "labels", "first_requests", "sweep", "stuck", "peak_running"):
        assert key in found
    assert found["p99_ttft_ms"] is not None


def test_json_is_exact_to_six_places(tmp_path: Path) -> None:
    found = document(mooncake(tmp_path), "--cost", "base=1ms,prefill=10us")
    # TTFTs 11.24, 6.88 and 6.12 ms
    assert found["mean_ttft_ms"] == 8.08
    assert found["median_ttft_ms"] == 6.88
    assert found["total_cached_tokens"] == 1024
    assert found["mean_tpot_ms"] == 1


def test_json_of_sweeps(tmp_path: Path) -> None:
    over_rates = document(*RANDOM, "--sweep-rate", "1,400,inf")["sweep"]
    assert isinstance(over_rates, dict)
    assert [point["rate"] for point in over_rates["points"]] == [1, 400, "inf"]
    assert {"knee_rate", "plan_rate", "best_request_throughput"} <= set(over_rates)
    over_blocks = document(*RANDOM, "--sweep-blocks", "21,100")["sweep"]
    assert isinstance(over_blocks, dict)
    assert [point["blocks"] for point in over_blocks["points"]] == [21, 100]
    assert over_blocks["cliff_blocks"] == 21
    json.dumps([over_rates, over_blocks], allow_nan=False)


def test_json_has_every_parameter(tmp_path: Path) -> None:
    found = schedule_replay.document(result_of(*RANDOM, "--goodput", "tpot:50"))["params"]
    assert found["random"] == {
        "num": 20,
        "rate": 4,
        "input_len": 300,
        "output_len": 30,
        "seed": 0,
        "burstiness": 1,
    }
    assert found["cost_ms"] == {"base": 5, "prefill": 0.02, "decode": 0.02, "kv": 0.00004}
    assert found["goodput"] == {"ttft": None, "tpot": 50, "e2el": None}


def test_csv_has_a_line_a_request(tmp_path: Path) -> None:
    words = [mooncake(tmp_path), "--cost", "base=1ms,prefill=10us", "--csv", "out.csv"]
    path, content = schedule_replay.files(result_of(*words))["--csv"]
    header, *rows = [line.split(",") for line in content.splitlines()]
    assert (path, len(rows)) == ("out.csv", 3)
    first, second = (dict(zip(header, row)) for row in rows[:2])
    assert (first["request"], first["ttft_ms"], first["tpot_ms"], first["e2el_ms"]) == (
        "r1",
        "11.240000",
        "1",
        "13.240000",
    )
    assert (second["tpot_ms"], second["cached_tokens"], second["finished"]) == ("", "512", "true")


def test_csv_of_a_sweep_has_a_line_a_point() -> None:
    _, content = schedule_replay.files(result_of(*RANDOM, "--sweep-rate", "1,inf", "--csv", "x"))["--csv"]
    header, *rows = [line.split(",") for line in content.splitlines()]
    assert [dict(zip(header, row))["rate"] for row in rows] == ["1", "inf"]


# arrives 5, admitted 10, first token 30, last 90
TIMELINES = [
    pytest.param((), ["queue 5-10", "prefill 10-30", "decode 30-90"], id="undisturbed"),
    pytest.param(
        ((50, 70),),
        ["queue 5-10", "prefill 10-30", "decode 30-50", "preempted 50-70", "decode 70-90"],
        id="preempted while it decodes",
    ),
    pytest.param(
        ((12, 20),),
        ["queue 5-10", "prefill 10-12", "preempted 12-20", "prefill 20-30", "decode 30-90"],
        id="preempted while it prefills",
    ),
    pytest.param(
        ((50, None),),
        ["queue 5-10", "prefill 10-30", "decode 30-50"],
        id="preempted and never admitted again",
    ),
]


@pytest.mark.parametrize(("pauses", "expected"), TIMELINES)
def test_slices_of_a_timeline(pauses: tuple[tuple[int, int | None], ...], expected: list[str]) -> None:
    served = Served("r1", 5, 30, 90, 8, 4, 0, len(pauses), True, 10, pauses)
    assert [f"{name} {start}-{stop}" for name, start, stop in slices(served)] == expected


def test_the_timeline_is_in_whole_microseconds_without_overlap() -> None:
    words = [*RANDOM, "--kv-blocks", "40", "--rate", "40", "--timeline", "x.json"]
    path, content = schedule_replay.files(result_of(*words))["--timeline"]
    events = json.loads(content)["traceEvents"]
    assert path == "x.json"
    drawn = [event for event in events if event["ph"] == "X"]
    assert {event["name"] for event in drawn} == {"queue", "prefill", "decode", "preempted"}
    assert all(type(event[key]) is int for event in drawn for key in ("ts", "dur"))
    ends: dict[int, int] = {}
    for event in drawn:
        assert event["ts"] >= ends.get(event["tid"], 0)
        ends[event["tid"]] = event["ts"] + event["dur"]
    assert len(ends) == 20


@pytest.mark.parametrize("catalogue", [KNOBS, TEXTS, REPLAY_RULES], ids=["knobs", "texts", "rules"])
def test_both_languages_have_the_same_fields(catalogue: dict[str, tuple[str, str]]) -> None:
    for english, chinese in catalogue.values():
        fields = [
            sorted({name for _, name, _, _ in string.Formatter().parse(one) if name})
            for one in (english, chinese)
        ]
        assert fields[0] == fields[1]
        assert english.isascii()


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_that_is_gone_at_the_end() -> None:
    terminal = Terminal()
    with progress.ProgressLine("replay", 2, terminal) as tell:
        assert tell is not None
        for done in (1, 2, 3, 1, 2, 3):
            tell(done, 3)
    written = terminal.getvalue()
    assert "\n" not in written
    assert "\rreplay: 2 of 3 requests (run 1 of 2)" in written
    assert "\rreplay: 3 of 3 requests (run 2 of 2)" in written
    *_, blank, rest = written.split("\r")
    assert (blank.strip(), rest) == ("", "")


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (io.StringIO(), Terminal()):
        monkeypatch.setattr("sys.stderr", stream)
        result_of(*RANDOM)
        assert bool(stream.getvalue()) == isinstance(stream, Terminal)
    monkeypatch.setattr("sys.stderr", None)
    assert result_of(*RANDOM).report.completed == 20


def test_progress_ends_with_an_error_too() -> None:
    terminal = Terminal()
    line = progress.ProgressLine("replay", 1, terminal)
    line.tell(1, 2)
    line.__exit__(ZeroDivisionError)
    assert terminal.getvalue().split("\r")[-1] == ""
    assert terminal.getvalue().split("\r")[-2].strip() == ""


def test_rates_of_a_sweep_are_those_asked_for() -> None:
    found = result_of(*RANDOM, "--sweep-rate", "0.5,90req/min").sweep
    assert found is not None
    assert [point.rate for point in found.points] == [Fraction(1, 2), Fraction(3, 2)]


def test_a_fitted_cost_tells_its_residual_and_what_was_held() -> None:
    recorded = Path(__file__).parents[1] / "golden" / "bench_detailed.json"
    page = " ".join(text(*RANDOM, "--cost-fit", str(recorded)).split())
    assert "fitted to 337 gaps and 12 lone prefills" in page
    assert "decode came out below 0 and is held at 0" in page
    assert "root mean square residual 2.228 ms" in page
