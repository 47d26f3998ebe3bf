"""Which numbers of blocks go with a V1 log's lines, which deployments are likely, and what their pools are.

`alternating` is a model of two groups; `tests/sizing/start_ups.py` has its arithmetic.
"""

from __future__ import annotations

from typing import Any

import pytest

from labs.model.stack import stack_of
from labs.sizing.layers import Deployment
from labs.sizing.log.deployments import NEWER, OLDER, as_likely, hypotheses
from labs.sizing.log.known import Known
from labs.sizing.log.matching import matching_blocks
from labs.sizing.log.pools import Pools, pool_of
from labs.sizing.log.printed import Printed
from labs.sizing.log.v1 import definitions_of
from tests.model.published import plain
from tests.sizing.start_ups import alternating, real, v1

LLAMA = "llama-3.1-8b"

# -- which numbers of blocks ------------------------------------------------------------------------


def blocks(printed: Printed, definition: str, length: int | None, **deployment: Any) -> list[int]:
    settings = {"max_num_batched_tokens": 2048, **deployment}
    pool = pool_of(alternating(), Deployment(**settings))
    assert pool is not None
    return matching_blocks(pool, definition, printed, length)


MATCHING: dict[str, tuple[Printed, str, int | None, list[int]]] = {
    "a block in each of two groups": (v1(None, 160), OLDER, None, [20, 21]),
    "no whole block": (v1(None, 168), OLDER, None, []),
    # 705 blocks a request: 20 x 8192 / 705 = 232.4
    "newer": (v1(None, 232), NEWER, 8192, [20]),
    "newer, between two": (v1(None, 233), NEWER, 8192, []),
    "newer, without a length": (v1(None, 232), NEWER, None, []),
    "nothing to go by": (v1(None, None), NEWER, 8192, []),
    # .995 to 1.005 GiB: 509.44 to 514.56
    "memory": (v1("1.00", None), NEWER, None, [509, 510, 511, 512, 513, 514]),
    # .03 is 21.15 blocks and more, .025 is 17.6: but at most 24.7
    "concurrency": (v1(None, None, "0.03"), NEWER, 8192, [18, 19, 20, 21, 22, 23, 24]),
    "the end of a range": (v1(None, None, "1.00"), NEWER, 8192, [702, 703, 704, 705, 706, 707, 708]),
    "concurrency and memory": (v1("1.00", None, "0.73"), NEWER, 8192, [512, 513, 514]),
}


@pytest.mark.parametrize("name", MATCHING)
def test_which_numbers_of_blocks(name: str) -> None:
    printed, definition, length, expected = MATCHING[name]
    assert blocks(printed, definition, length) == expected


def test_a_telling_override() -> None:
    """Less memory than the blocks take, and no line but it: 512 and nothing else."""
    assert blocks(v1("0.10", None, num_gpu_blocks_override=512), NEWER, None) == [512]


def test_few_tokens_more_blocks() -> None:
    """Requests of 1 token take 2 groups' blocks each, one of them twice: 3 blocks, a third of a token."""
    assert blocks(v1(None, 5), NEWER, 1) == [15, 16, 17]


def test_likely_ones_first() -> None:
    """By the sum of their prices: 2 for the newer meaning, 6 for another block, 10 for two ranks."""
    found = hypotheses(real(LLAMA), Known(dcp=1), (OLDER, NEWER))
    first = [(one.price, one.deployment.tp, one.deployment.block_size, one.definition) for one in found[:9]]
    assert first == [
        (0, 1, 16, OLDER),
        (2, 1, 16, NEWER),
        *((6, 1, size, OLDER) for size in (32, 64, 128)),
        *((8, 1, size, NEWER) for size in (32, 64, 128)),
        (10, 2, 16, OLDER),
    ]


def test_as_likely() -> None:
    """Those within 5 of the lowest price, whatever comes later."""
    assert as_likely([(10, "a"), (10, "b"), (15, "c"), (16, "d")]) == ["a", "b", "c"]
    assert as_likely([]) == []


# -- what the lines mean ----------------------------------------------------------------------------

# version, tokens, whether one line has both: what the token line may mean
MEANINGS: dict[str, tuple[str | None, int | None, bool, tuple[str, ...]]] = {
    "one line, whatever the version": ("0.10.0", 81920, True, (NEWER,)),
    "from 0.24": ("0.24.0", 81920, False, (NEWER,)),
    "with its letter": ("v0.25.1rc1", 81920, False, (NEWER,)),
    "from 1.0": ("1.0.0", 81920, False, (NEWER,)),
    "up to 0.23": ("0.23.1", 81921, False, (OLDER,)),
    "no version": (None, 81920, False, (OLDER, NEWER)),
    "no version, no whole blocks": (None, 81921, False, (NEWER,)),
    "no version, no tokens": (None, None, False, (OLDER, NEWER)),
    "a word": ("dev", 81921, False, (NEWER,)),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_what_the_token_line_means(name: str) -> None:
    version, tokens, one_line, meanings = MEANINGS[name]
    assert definitions_of(Printed(version=version, kv_tokens=tokens, one_line=one_line)) == meanings


# -- pools ------------------------------------------------------------------------------------------


STATE, ATTENTION = "linear_attention", "full_attention"
LINEAR = {
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
}
# layers: groups, tokens of a block, whether it is plain, whether it is padded
POOLS: dict[str, tuple[list[str], int, int, bool, bool]] = {
    "attention": ([ATTENTION] * 3, 1, 32, True, False),
    "states": ([STATE] * 3, 1, 32, False, False),
    # a state of 1097728 B (test_states.py) is 536 tokens of 2048 B: 17 blocks of 32
    "both": ([STATE, STATE, ATTENTION], 3, 544, False, False),
    # by twos: 2 of the states, 1 of them, 2 of attention
    "one is short": ([STATE] * 3 + [ATTENTION] * 2, 3, 544, False, True),
}


@pytest.mark.parametrize("name", POOLS)
def test_a_pool(name: str) -> None:
    layers, groups, block, is_plain, is_padded = POOLS[name]
    stack = stack_of(
        plain(len(layers), 2048, 16, 2, head_dim=256, layer_types=layers, model_type="qwen3_next", **LINEAR),
        name,
    )
    pool = pool_of(stack, Deployment(block_size=32))
    assert pool is not None
    assert (len(pool.groups), pool.block_size) == (groups, block)
    assert (pool.is_plain, pool.is_padded) == (is_plain, is_padded)


def test_blocks_of_unlike_layers() -> None:
    """A full layer's page is half of a window's, 4 KV heads and 8: its block has 32 tokens, the other 16."""
    pool = pool_of(real("mimo-v2-flash"), Deployment())
    assert pool is not None
    assert {group.specs[0].block_size for group in pool.groups} == {16, 32}
    assert (pool.block_size, pool.is_plain) == (16, False)


def test_a_window_in_every_layer_is_not_plain() -> None:
    """One group of 32, but a request does not take a block for every 16 tokens."""
    pool = pool_of(real("mistral-7b-v0.1"), Deployment())
    assert pool is not None
    assert (len(pool.groups), pool.is_plain) == (1, False)


def test_pools_are_made_once() -> None:
    pools = Pools(real(LLAMA))
    pool = pools.of(Deployment())
    assert pool is not None
    assert pools.of(Deployment(max_num_batched_tokens=8192)) == pool.replace(
        deployment=Deployment(max_num_batched_tokens=8192)
    )
    assert len(pools.made) == 1
    other = pools.changed(pool, tp=2)
    assert other is not None
    assert (other.bytes_per_block, pool.bytes_per_block) == (1048576, 2097152)
    assert pools.of(Deployment(), windows_in_full=True) != pool


def test_a_stage_that_keeps_nothing() -> None:
    """Of one layer each, some have a model's multilayer perceptrons alone."""
    stack = real("nemotron-h-56b")
    assert () in stack.layers
    assert pool_of(stack, Deployment()) is not None
    assert pool_of(stack, Deployment(pp=len(stack.layers))) is None


def test_ranks_that_share_no_state() -> None:
    """A convolution of 2040 = 8 x 255 channels, which 16 ranks cannot share."""
    layers = ["conv", ATTENTION]
    config = plain(2, 2048, 32, 8, head_dim=64, layer_types=layers, conv_dim=2040, conv_L_cache=3)
    found = hypotheses(stack_of(config, "convolution"), Known(), (OLDER,))
    assert {one.deployment.tp for one in found} == {1, 2, 4, 8}
