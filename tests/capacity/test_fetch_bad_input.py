"""Bad input of `capacity fetch`: one line that names the option, exit 2, nothing on standard output."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from labs.base import LabError
from labs.capacity_fetch import Params

if TYPE_CHECKING:
    from tests.conftest import RunLab

BAD = {
    "--lookup 3": ("--lookup", "3ms or 3s"),
    "--data-path 20": ("--data-path", "20ms or 20s"),
    "--conversion 7": ("--conversion", "7ms or 7s"),
    "--overlap 0": ("--overlap", "0ms or 0s"),
    "--recompute 60": ("--recompute", "60ms or 60s"),
    "--recompute-rate 8000": ("--recompute-rate", "8000tok/s or 8000ktok/s"),
    "--size 1": ("--size", "1GiB or 1GB"),
    "--kv-per-token 128": ("--kv-per-token", "128GiB or 128GB"),
    "--bandwidth 400": ("--bandwidth", "400Gbit/s or 400GB/s"),
    "--host-limit 50": ("--host-limit", "50Gbit/s or 50GB/s"),
    "--lookup -3ms": ("--lookup", "number with a unit"),
    "--lookup 3min": ("--lookup", "known are ns, us, ms, s"),
    "--lookup ms": ("--lookup", "number with a unit"),
    "--recompute-rate 0tok/s": ("--recompute-rate", "more than zero"),
    "--recompute-rate 5req/s": ("--recompute-rate", "known are tok/s"),
    "--tokens 0": ("--tokens", "at least 1"),
    "--links 0": ("--links", "at least 1"),
    "--tp 0": ("--tp", "at least 1"),
    "--overlap 30.001ms": ("--overlap", "longer than the 30 ms"),
    "--lookup 0ms --conversion 0ms --data-path 1ms": ("--overlap", "longer than the 1 ms"),
    "--size 1B --bandwidth 1Tbit/s --overlap 11ms": ("--overlap", "longer than the 10 ms"),
    "--size 1GiB --bandwidth 1GB/s --data-path 20ms": ("--size", "--data-path"),
    "--bandwidth 1GB/s --data-path 20ms": ("--bandwidth", "--data-path"),
    "--data-path 20ms --links 2": ("--links", "--data-path"),
    "--data-path 20ms --kv-per-token 1KiB": ("--kv-per-token", "--data-path"),
    "--size 1GiB --kv-per-token 1KiB": ("--kv-per-token", "--size"),
    "--size 1GiB --model qwen3-8b": ("--model", "--size"),
    "--kv-per-token 1KiB --model qwen3-8b": ("--model", "--kv-per-token"),
    "--recompute 60ms --tokens 5 --recompute-rate 5tok/s": ("--recompute-rate", "--recompute"),
    "--size 1GiB": ("--size", "without --bandwidth"),
    "--bandwidth 1GB/s": ("--bandwidth", "one of --size"),
    "--links 2": ("--links", "without --bandwidth"),
    "--host-limit 1GB/s": ("--host-limit", "without --bandwidth"),
    "--tokens 5": ("--tokens", "one of --recompute-rate"),
    "--recompute-rate 5tok/s": ("--recompute-rate", "without --tokens"),
    "--kv-per-token 1KiB --bandwidth 1GB/s": ("--kv-per-token", "without --tokens"),
    "--model qwen3-8b --tokens 5": ("--model", "without --bandwidth"),
    "--kv-dtype fp8": ("--kv-dtype", "one of --model"),
    "--tp 2": ("--tp", "one of --model"),
    "--model llama-3-8b --tokens 5 --bandwidth 1GB/s --tp 3": ("--tp", "32 query heads"),
    "--model llama-9": ("--model", "gpt-oss-20b"),
    "--config no-such-file.json": ("--config", "no such file"),
    "--measured-rate 3": ("--measured-rate", "no such option"),
}


@pytest.mark.parametrize("words", BAD)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_bad_input_is_one_line(words: str, lang: str, run_lab: RunLab) -> None:
    option, what = BAD[words]
    ran = run_lab(["capacity", "fetch", *words.split(), "--lang", lang])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {option}: ")
    assert "(got nothing)" not in ran.err
    assert lang == "zh" or what in ran.err


@pytest.mark.parametrize("name", ["lookup", "conversion", "overlap", "data_path", "recompute"])
def test_library_refuses_times_below_zero(name: str) -> None:
    with pytest.raises(LabError) as caught:
        Params().replace(**{name: Fraction(-1, 2)})
    assert (caught.value.where, caught.value.rule) == ("--" + name.replace("_", "-"), "at_least")
