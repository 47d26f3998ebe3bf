"""Many decode steps at once, exactly as one by one.

While the same requests decode and nobody joins, finishes or runs out of blocks, nothing is decided: each
step adds a token to each, and a block to whoever's last one is full. Over `rounds` steps a request with c
tokens computed takes ceil((c + rounds) / block size) - ceil(c / block size) blocks. They come off the free
queue in the order of steps and, within one, of requests; since everybody needs a block every `block_size`
steps, that order is a round robin, and the request whose first turn is r-th of m gets every m-th block from
the r-th on. (All first turns lie within one block size, as each holds just the blocks that it has begun.)

Why nothing else can happen in between:

    nobody is admitted   free blocks only fall, and what is left of the budget never does, so whoever waits in
                         front needs as much as before; if its own freed blocks are evicted meanwhile, each
                         costs it a hit and takes a free block, alike
    the hash table       blocks are taken first and entered after, while single steps mix the two. It comes to
                         the same: an evicted key leaves the others with that key in their order
"""

from __future__ import annotations

from labs.engine.blocks import num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from labs.engine.run.live_request import LiveRequest
    from labs.engine.run.scheduler import Pool


def decode(
    requests: Sequence[LiveRequest],
    rounds: int,
    pool: Pool,
    block_size: int,
    enter: Callable[[LiveRequest, int], None],
) -> None:
    """Let these take so many quiet steps; `enter(request, num_tokens)` enters full blocks."""
    taken = pool.take(num_blocks_taken(requests, rounds, block_size))
    deal_blocks(requests, taken, block_size)
    for request in requests:
        request.num_computed_tokens += rounds
        request.num_tokens += rounds
    enter_in_turn(requests, rounds, block_size, enter)


def num_quiet_rounds(
    requests: Sequence[LiveRequest], most: int, num_free_blocks: int, block_size: int
) -> int:
    """How many steps these can decode before one of them finishes or the blocks run out; 0 if not sure."""
    rounds = most
    for request in requests:
        rounds = min(rounds, request.last_num_tokens - request.num_tokens - 1)
        if rounds < 1 or not request.is_decoding:
            return 0
        if len(request.block_table) != num_blocks(request.num_computed_tokens, block_size):
            return 0
    if num_blocks_taken(requests, rounds, block_size) > num_free_blocks:
        lasts, too_many = 0, rounds
        while too_many - lasts > 1:
            middle = (lasts + too_many) // 2
            if num_blocks_taken(requests, middle, block_size) > num_free_blocks:
                too_many = middle
            else:
                lasts = middle
        rounds = lasts
    return rounds


def num_blocks_taken(requests: Sequence[LiveRequest], rounds: int, block_size: int) -> int:
    """Blocks that so many decode steps of these requests take."""
    return sum(
        [
            num_blocks(request.num_computed_tokens + rounds, block_size) - len(request.block_table)
            for request in requests
        ]
    )


def deal_blocks(requests: Sequence[LiveRequest], taken: Sequence[int], block_size: int) -> None:
    """Give each request the blocks that it would have taken step by step.

    >>> from labs.engine.run.live_request import LiveRequest
    >>> from labs.engine.kv.block_keys import BlockKeys
    >>> a, b = [LiveRequest(name, 2, 99, BlockKeys(1)) for name in "ab"]
    >>> a.num_computed_tokens, b.num_computed_tokens, a.block_table, b.block_table = 4, 3, [1], [2]
    >>> deal_blocks([a, b], [5, 6, 7], 4); a.block_table, b.block_table
    ([1, 5, 7], [2, 6])
    """
    first_turns = sorted(
        [
            (len(request.block_table) * block_size - request.num_computed_tokens, place)
            for place, request in enumerate(requests)
        ]
    )
    if taken:
        for rank, (_, place) in enumerate(first_turns):
            requests[place].block_table.extend(taken[rank :: len(requests)])


def enter_in_turn(
    requests: Sequence[LiveRequest], rounds: int, block_size: int, enter: Callable[[LiveRequest, int], None]
) -> None:
    """Enter the blocks that these filled in the last so many steps, by `enter(request, num_tokens)`.

    The order of filling matters only where two requests may fill blocks with the same key; a request whose
    blocks have no keys is settled until the next is taken.
    """
    if sum([request.keys.can_be_shared for request in requests]) > 1:
        turns = [
            ((index + 1) * block_size - (request.num_computed_tokens - rounds), place, index)
            for place, request in enumerate(requests)
            if request.num_computed_tokens >= request.settled_tokens
            for index in range(request.num_cached_blocks, request.num_computed_tokens // block_size)
        ]
        for _, place, index in sorted(turns):
            enter(requests[place], (index + 1) * block_size)
    for request in requests:
        if request.num_computed_tokens >= request.settled_tokens:
            enter(request, request.num_computed_tokens)
