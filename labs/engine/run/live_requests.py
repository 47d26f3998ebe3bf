"""From a request as it was asked for to one that an engine works on.

The stand-in model samples by rule, so where a request stops is known beforehand: at `max_tokens` outputs,
at `max_model_len` known tokens, or at the first output among its stop tokens, whichever comes first.
Source of the sampled tokens: the rule under which the engines' recorded runs were made.
"""

from __future__ import annotations

from labs.base import require
from labs.engine.blocks import num_blocks
from labs.engine.kv.block_keys import BlockKeys, ChainedKeys
from labs.engine.run.live_request import ENDLESS, FINISHED_LENGTH_CAPPED, FINISHED_STOPPED, LiveRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from labs.engine.knobs import Knobs
    from labs.engine.requests import Request

    SampledToken = Callable[[str, int, int], int]


def sampled_token(name: str, num_prompt_tokens: int, n: int) -> int:
    """The n-th output of a request, from 1: 1000 + 17 n + the sum of its name's code points.

    >>> sampled_token("A", 7, 2)
    1099
    """
    return 1000 + 17 * n + sum(map(ord, name))


def nano_sampled_token(name: str, num_prompt_tokens: int, n: int) -> int:
    """The same for nano-vllm: 7000 + the tokens known before, so that equal prompts go on alike.

    >>> nano_sampled_token("A", 7, 1)
    7007
    """
    return 7000 + num_prompt_tokens + n - 1


class LiveRequests:
    """Makes them, with one table of block keys for all."""

    def __init__(self, knobs: Knobs, sampled: SampledToken) -> None:
        self.block_size = knobs.block_size
        self.max_model_len = ENDLESS if knobs.max_model_len is None else knobs.max_model_len
        self.sampled = sampled
        self.numbered: dict[tuple[Hashable, ...], int] = {}

    def __call__(self, request: Request, position: int) -> LiveRequest:
        """`position` counts arrivals, from 1, and is the arrival time of a request that names none."""
        num_prompt_tokens = request.prefill or request.context
        last, status = self.last_num_tokens(request)
        return LiveRequest(
            request.name,
            num_prompt_tokens,
            last,
            self._keys(request, position),
            request.priority,
            position if request.arrival_time is None else request.arrival_time,
            status,
        )

    def last_num_tokens(self, request: Request) -> tuple[int, str]:
        """Known tokens at which a request stops, and why."""
        num_prompt_tokens = request.prefill or request.context
        outputs = ENDLESS if request.decode is None else request.decode + 1
        outputs = min(outputs, self.max_model_len - num_prompt_tokens)
        first, second = [self.sampled(request.name, num_prompt_tokens, n) for n in (1, 2)]
        stops = [  # outputs rise by the same number each time, so a stop token's place follows
            (token - first) // (second - first) + 1
            for token in request.stop_token_ids
            if token >= first and (token - first) % (second - first) == 0
        ]
        if stops and min(stops) <= outputs:
            return num_prompt_tokens + min(stops), FINISHED_STOPPED
        return num_prompt_tokens + outputs, FINISHED_LENGTH_CAPPED

    def _keys(self, request: Request, position: int) -> BlockKeys:
        if request.prompt is None:
            return BlockKeys(position)
        num_prompt_tokens = len(request.prompt)
        return ChainedKeys(
            request.prompt,
            self.block_size,
            self.numbered,
            lambda n: self.sampled(request.name, num_prompt_tokens, n),
            request.salt,
        )


def refuse_impossible(requests: Iterable[Request], knobs: Knobs, sampled: SampledToken) -> None:
    """`LabError` for a request that could never finish, or has before it begins.

    Its tokens, all but the last, need slots at once; a prompt, or the context of one that decodes and the
    token sampled after it, must leave room for an output.
    """
    lengths = LiveRequests(knobs, sampled)
    listed = 0
    for request in requests:
        num_prompt_tokens = request.prefill or request.context
        known = num_prompt_tokens + (request.prefill == 0)
        most = knobs.max_model_len
        require(
            most is None or known < most,
            "--max-model-len",
            "prompt_too_long",
            most,
            name=request.name,
            tokens=known,
        )
        stops_at, _ = lengths.last_num_tokens(request)
        require(stops_at > known, "--request", "has_stopped_already", request.name)
        last = stops_at - 1 if stops_at < ENDLESS else num_prompt_tokens
        needed = num_blocks(last, knobs.block_size)
        require(
            knobs.kv_blocks is None or needed <= knobs.kv_blocks,
            "--kv-blocks",
            "larger_than_pool",
            knobs.kv_blocks,
            name=request.name,
            tokens=last,
            needed=needed,
            block_size=knobs.block_size,
        )
        listed += num_blocks(num_prompt_tokens, knobs.block_size)
        require(listed <= MAX_LISTED, "--block-size", "too_many_blocks", listed, most=MAX_LISTED)


MAX_LISTED = 2_000_000  # of all prompts and contexts: block tables are written out
