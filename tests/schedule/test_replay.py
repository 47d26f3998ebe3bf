"""`schedule replay` from its command line to its figures: traces, random loads, costs, blocks, refusals."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from labs.base import LabError
from labs.replay.latency import Limits
from labs.schedule_replay import Params, default_cost, run
from labs.view.catalog.errors import RULES as GENERAL
from labs.view.catalog.errors_bench import BENCH_RULES
from labs.view.catalog.errors_cost import COST_RULES
from labs.view.catalog.errors_replay import REPLAY_RULES
from labs.view.catalog.errors_traces import TRACE_RULES
from labs.view.errors import error_line
from tests.schedule.replay_line import RANDOM, mooncake, parsed, refusal, result_of

TEXTS = {**GENERAL, **BENCH_RULES, **COST_RULES, **REPLAY_RULES, **TRACE_RULES}
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 8192,
}


def test_a_made_trace_by_hand(tmp_path: Path) -> None:
    """Steps of 1 ms, 10 us a prefill token; ids of 512 tokens are blocks of 512."""
    found = result_of(mooncake(tmp_path), "--cost", "base=1ms,prefill=10us")
    # r1: 1024 tokens, 11.24 ms, then two decodes of 1 ms. r2: 512 of 1100 hit, 588 tokens: 6.88 ms.
    # r3: 512 of 1024 hit, as its last token must be computed: 6.12 ms, and one token though the trace says 0
    served = found.replay.served
    assert [each.cached_tokens for each in served] == [0, 512, 512]
    assert [each.output_tokens for each in served] == [3, 1, 1]
    assert found.report.ttft is not None
    assert found.report.ttft.mean == (Fraction("11.24") + Fraction("6.88") + Fraction("6.12")) / 3
    assert found.report.tpot is not None
    assert [found.report.tpot.count, found.report.tpot.mean] == [Fraction(1)] * 2
    assert found.report.duration_ms == 10_000 + Fraction("6.12")
    assert (found.report.cached_tokens, found.params.untold_outputs) == (1024, 1)


def test_an_azure_trace_keeps_every_digit(tmp_path: Path) -> None:
    path = tmp_path / "azure.csv"
    rows = ["2023-11-16 18:15:46.6805900,374,44", "2023-11-16 18:15:50.9951690,396,1"]
    path.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows]), encoding="utf-8")
    found = result_of(str(path))
    assert [arrival.ms for arrival in found.params.arrivals] == [0, Fraction("4314.579")]
    assert (found.params.kind, found.params.block_tokens, found.params.block_size) == ("azure", None, 16)
    assert found.report.cached_tokens == 0


def test_a_trace_of_token_ids_shares_equal_prefixes(tmp_path: Path) -> None:
    path = tmp_path / "tokens.jsonl"
    prompts = [list(range(40)), [*range(32), 99, 98, 97, 96, 95, 94, 93, 92]]
    lines = [
        json.dumps({"tokens": p, "timestamp": 1000 * n, "output_length": 2}) for n, p in enumerate(prompts)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = result_of(str(path))
    assert [served.cached_tokens for served in found.replay.served] == [0, 32]


def test_a_random_load_is_the_same_every_time() -> None:
    one, other = result_of(*RANDOM), result_of(*RANDOM)
    assert one.report == other.report
    assert one.params.arrivals[-1].ms == 5000  # 20 requests at 4 a second
    assert result_of(*RANDOM, "--seed", "1").report != one.report


def test_smaller_blocks_within_an_id(tmp_path: Path) -> None:
    """In blocks of 256: r2 shares 2 of r1's, r3 all but its last."""
    found = result_of(mooncake(tmp_path), "--block-size", "256")
    assert [served.cached_tokens for served in found.replay.served] == [0, 512, 768]


def test_ids_of_another_length(tmp_path: Path) -> None:
    requests = [
        {"timestamp": n, "input_length": 32, "output_length": 2, "hash_ids": [5, 6]} for n in (0, 900)
    ]
    found = result_of(mooncake(tmp_path, requests), "--block-tokens", "16")
    assert (found.params.block_size, found.report.cached_tokens) == (16, 16)


def test_rules_without_a_pool_need_no_blocks(tmp_path: Path) -> None:
    for rule in ("decode-first", "prefill-first", "static"):
        report = result_of(mooncake(tmp_path), "--rule", rule).report
        assert (report.peak_blocks, report.preemptions, report.completed) == (None, 0, 3)


def test_the_default_is_refused_in_one_line_that_names_both() -> None:
    with pytest.raises(LabError) as refused:
        Params()
    assert (refused.value.where, refused.value.rule) == ("TRACE", "needs_requests")
    for text in REPLAY_RULES["needs_requests"]:
        assert "TRACE" in text
        assert "--random" in text


def test_a_cost_that_was_not_given_is_told() -> None:
    found = parsed(*RANDOM)
    assert (found.cost, found.cost_from) == (default_cost(), "default")


def test_a_derived_cost(tmp_path: Path) -> None:
    """8 B parameters at 10^15 FLOP/s: 16 us a token. 16 GB and 131072 B/token at 4 TB/s: 4 ms, 32.768 ns."""
    rates = ("--flops", "1000TFLOP/s", "--memory-bandwidth", "4TB/s", "--parameters", "8B")
    found = parsed(*RANDOM, "--config", config(tmp_path), *rates)
    assert found.cost.terms == (4, Fraction("0.016"), Fraction("0.016"), Fraction("0.000032768"))
    assert found.cost_from == "derived"


def test_a_derived_cost_on_one_rank_of_two(tmp_path: Path) -> None:
    rates = ("--flops", "1000TFLOP/s", "--memory-bandwidth", "4TB/s", "--parameters", "8B", "--tp", "2")
    found = parsed(*RANDOM, "--config", config(tmp_path), *rates, "--weights", "4GB", "--kv-dtype", "fp8")
    assert found.cost.terms == (1, Fraction("0.016"), Fraction("0.016"), Fraction("0.000008192"))


def test_blocks_of_a_gpu(tmp_path: Path) -> None:
    """0.9 x 80 GiB - 16 GiB = 56 GiB; a block of 16 tokens is 2 MiB: 28672 blocks with the null block."""
    found = parsed(*RANDOM, "--config", config(tmp_path), "--gpu", "80GiB", "--weights", "16GiB")
    assert (found.kv_blocks, found.blocks_from is not None) == (28671, True)


def config(folder: Path, **changes: object) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps({**CONFIG, **changes}), encoding="utf-8")
    return str(path)


LIMITS = [
    pytest.param(["--goodput", "ttft:200", "tpot:50"], id="words"),
    pytest.param(["--goodput", "ttft:200", "--goodput", "tpot:50"], id="repeated"),
    pytest.param(["--goodput", "ttft:200,tpot:50"], id="by a comma"),
    pytest.param(["--goodput", "ttft:200 tpot:50"], id="by a blank"),
]


@pytest.mark.parametrize("words", LIMITS)
def test_limits_in_every_form(words: list[str], tmp_path: Path) -> None:
    expected = Limits(ttft=Fraction(200), tpot=Fraction(50))
    trace = mooncake(tmp_path)
    assert parsed(trace, *words).limits == expected
    assert parsed(*words, trace).limits == expected  # argparse cannot tell where the limits end


def test_no_limits_are_none(tmp_path: Path) -> None:
    found = result_of(mooncake(tmp_path))
    assert (found.params.limits, found.report.goodput) == (None, None)


def test_the_options_stand_before_or_after_the_trace(tmp_path: Path) -> None:
    trace = mooncake(tmp_path)
    assert parsed(trace, "--rule", "nano-vllm") == parsed("--rule", "nano-vllm", trace)


MODEL = ["--model", "llama-3.1-8b"]
RATES = ["--flops", "1TFLOP/s", "--memory-bandwidth", "1TB/s", "--parameters", "8B"]
REFUSED = [
    ("", ["--rate", "4"], "TRACE", "needs_requests"),
    ("", [*RANDOM, "--block-tokens", "16"], "--block-tokens", "ids_only"),
    ("T T", [], "TRACE", "needs_trace"),
    ("T", list(RANDOM), "--random", "not_with"),
    ("T", ["--seed", "1"], "--seed", "not_with"),
    ("T", ["--block-size", "300"], "--block-size", "block_of_ids"),
    ("T", ["--block-tokens", "600"], "T:2", "trace_block_count"),
    ("T", ["--kv-blocks", "2"], "--kv-blocks", "replay_longest"),
    ("T", ["--sweep-blocks", "9,2"], "--sweep-blocks", "replay_longest"),
    ("T", ["--sweep-blocks", "9,9"], "--sweep-blocks", "repeated_blocks"),
    ("T", ["--sweep-blocks", "9,x"], "--sweep-blocks", "not_whole"),
    ("T", ["--sweep-blocks", "0"], "--sweep-blocks", "at_least"),
    ("T", ["--sweep-blocks", "9", "--sweep-rate", "1"], "--sweep-blocks", "not_with"),
    ("T", ["--sweep-blocks", "9", "--rule", "static"], "--rule", "rule_without_pool"),
    ("T", ["--no-prefix-caching", "--rule", "static"], "--no-prefix-caching", "not_a_knob_of_rule"),
    ("T", ["--cost", "base=1e400ms"], "--cost", "exponent"),
    ("T", ["--gpu", "80GiB", *MODEL, "--weights", "90GiB"], "--weights", "weights_fill_gpu"),
    ("T", ["--sweep-rate", "4,2"], "--sweep-rate", "rates_not_ascending"),
    ("T", ["--kv-blocks", "9", "--rule", "static"], "--kv-blocks", "not_a_knob_of_rule"),
    ("T", ["--policy", "priority", "--rule", "nano-vllm"], "--policy", "not_a_knob_of_rule"),
    ("T", ["--gpu", "80GiB", *MODEL, "--rule", "static"], "--gpu", "not_a_knob_of_rule"),
    ("T", ["--gpu", "80GiB"], "--config", "needs_model_kv"),
    ("T", ["--gpu", "80", *MODEL], "--gpu", "bare_number"),
    ("T", ["--gpu", "1MiB", *MODEL], "--gpu", "no_blocks_left"),
    ("T", ["--gpu", "160MiB", *MODEL], "--gpu", "replay_longest"),
    ("T", ["--gpu", "80GiB", *MODEL, "--kv-blocks", "9"], "--kv-blocks", "not_with"),
    ("T", [*MODEL], "--model", "needs_one_of"),
    ("T", ["--tp", "2"], "--tp", "needs_one_of"),
    ("T", ["--utilization", "0.5", *RATES, *MODEL], "--utilization", "needs_one_of"),
    ("T", [*RATES], "--config", "needs_model_kv"),
    ("T", RATES[:2], "--memory-bandwidth", "needed_with"),
    ("T", RATES[2:4], "--flops", "needed_with"),
    ("T", [*RATES, *MODEL, "--cost", "base=1ms"], "--flops", "not_with"),
    ("T", ["--cost", "base=1"], "--cost", "bare_number"),
    ("T", ["--watermark", "0.1"], "--watermark", "needs_option"),
    ("T", ["--max-model-len", "1100"], "--max-model-len", "prompt_too_long"),
    ("T", ["--goodput", "ttft"], "--goodput", "bench_limit"),
    ("T", ["--goodput", "itl:5"], "--goodput", "bench_limit"),
    ("T", ["--goodput", "ttft:5", "ttft:6"], "--goodput", "bench_limit_twice"),
    ("T", ["--csv", "T"], "--csv", "is_an_input"),
    ("T", ["--timeline", "T"], "--timeline", "is_an_input"),
    ("T", ["--csv", "same", "--timeline", "same"], "--timeline", "is_other_output"),
    ("nosuch", [], "TRACE", "no_such_file"),
]


@pytest.mark.parametrize(
    ("traces", "words", "where", "rule"),
    REFUSED,
    ids=[f"{t} {' '.join(w)}".strip() for t, w, _, _ in REFUSED],
)
def test_refused(
    traces: str, words: list[str], where: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(mooncake(tmp_path)).rename("T")
    assert refusal(*traces.split(), *words) == (where, rule)
    english, chinese = TEXTS[rule]
    assert english.isascii()
    assert not chinese.isascii()


@pytest.mark.parametrize("output", ["--csv", "--timeline"])
def test_what_a_cost_or_a_model_is_read_from_is_not_written(output: str, tmp_path: Path) -> None:
    recorded = tmp_path / "result.json"
    recorded.write_bytes((Path(__file__).parents[1] / "golden" / "bench_detailed.json").read_bytes())
    link = tmp_path / "link.json"
    link.symlink_to(recorded)
    model = config(tmp_path)
    for path in (recorded, link):
        assert refusal(*RANDOM, "--cost-fit", str(recorded), output, str(path)) == (output, "is_an_input")
    words = ("--config", model, "--gpu", "80GiB", output, model)
    assert refusal(*RANDOM, *words) == (output, "is_an_input")
    parsed(*RANDOM, "--cost-fit", str(recorded), output, str(tmp_path / "other"))


DEFAULT_RATES = [
    pytest.param([], "inf", "default", id="all at once, as the engine's client"),
    pytest.param(["--sweep-rate", "2,4,inf"], 2, "sweep", id="the first of the sweep"),
    pytest.param(["--sweep-rate", "inf"], "inf", "default", id="nothing finite is swept"),
    pytest.param(["--sweep-rate", "2,4", "--rate", "3"], 3, "given", id="given"),
]


@pytest.mark.parametrize(("words", "rate", "origin"), DEFAULT_RATES)
def test_a_random_load_without_a_rate_and_lengths(words: list[str], rate: object, origin: str) -> None:
    found = parsed("--random", "4", *words)
    assert found.load is not None
    assert (found.load.rate, found.rate_from) == (rate, origin)
    assert (found.load.input_len, found.load.output_len) == (1024, 128)


def test_what_a_refused_line_shows() -> None:
    """Sizes as they are written, and a switch under the name that was typed."""
    lines = {
        (
            "--gpu",
            "80GiB",
            *MODEL,
            "--weights",
            "90GiB",
        ): "72 GiB that the engine may take of --gpu 80 GiB (got 90 GiB)",
        ("--no-prefix-caching", "--rule", "static"): "error: --no-prefix-caching: is no knob",
        ("--rule", "static", "--sweep-blocks", "3"): "so --sweep-blocks has no blocks to sweep",
    }
    for words, told in lines.items():
        with pytest.raises(LabError) as refused:
            parsed(*RANDOM, *words)
        assert told in error_line(refused.value, "en")


def test_ids_too_few_are_refused_at_their_line(tmp_path: Path) -> None:
    requests = [{"timestamp": 0, "input_length": 512, "output_length": 3, "hash_ids": [1]}]
    requests.append({"timestamp": 0, "input_length": 2048, "output_length": 3, "hash_ids": [1, 2]})
    trace = mooncake(tmp_path, requests)
    assert refusal(trace) == (f"{trace}:2", "trace_block_count")


def test_a_model_with_windows_has_no_pool_of_one_group(tmp_path: Path) -> None:
    mixed = config(
        tmp_path,
        architectures=["Gemma3ForCausalLM"],
        model_type="gemma3_text",
        sliding_window=1024,
        sliding_window_pattern=6,
    )
    assert refusal(*RANDOM, "--config", mixed, "--gpu", "80GiB") == ("--config", "replay_one_group")


def test_requests_at_once_have_no_rate_to_sweep(tmp_path: Path) -> None:
    requests = [{"timestamp": 5, "input_length": 9, "output_length": 3, "hash_ids": [n]} for n in range(3)]
    found = parsed(mooncake(tmp_path, requests), "--sweep-rate", "2")
    with pytest.raises(LabError) as refused:
        run(found)
    assert (refused.value.where, refused.value.rule) == ("--sweep-rate", "all_at_once")
