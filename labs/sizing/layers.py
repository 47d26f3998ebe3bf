"""What one layer takes on one rank: bytes of a block of it, and blocks of one request of the longest length.

    page (B)                      block size x KV heads of the rank x (K width + V width) x bytes per element
      MLA                         block size x latent width x bytes per element, the same on every rank
      linear                      the layer's fixed state, padded to an attention page

    blocks of a request (max_len tokens; in_flight = tokens scheduled and not yet settled)
      full, MLA                   ceil(ceil(max_len / dcp) / block size)
      sliding                     ceil(min(window - 1 + in_flight, max_len) / block size) + 1
      chunked                     ceil(min(chunk + in_flight, max_len) / block size)
      linear                      1, or 2 with prefix caching: the state and the one it is aligned to

The window's + 1 is for a window that does not begin at a block's start. in_flight is
max_num_batched_tokens x steps under way at once: one a pipeline stage, and one more with async scheduling.

With linear layers an attention block is enlarged until its page covers the state: align x ceil(state /
(align x bytes per token)), where align is 16, 128 with MLA, or the block size asked for.

Source: vLLM 0.32.0, `kv_cache_interface` and the platform's alignment of hybrid blocks.
Does not model: scales of quantised KV, pages padded for a kernel's sake, speculative decoding, the older
model runner (there async scheduling adds no step to several stages).
"""

from __future__ import annotations

from labs.base import Record, require
from labs.engine.blocks import num_blocks
from labs.model.kv import DTYPE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.shape import LayerGroup
    from labs.model.stack import ModelStack

KERNEL_BLOCK = 16
KERNEL_BLOCK_LATENT = 128


class Deployment(Record):
    """How a model is run: ranks, dtype, block size and what a request's blocks depend on.

    `max_num_batched_tokens` counts tokens; with `prefix_caching` linear layers keep a second, aligned state;
    `state_dtype` overrides a state's own dtype.
    """

    tp: int = 1
    pp: int = 1
    dcp: int = 1
    kv_dtype: str = "bfloat16"
    block_size: int = KERNEL_BLOCK
    max_num_batched_tokens: int = 8192
    async_scheduling: bool = False
    prefix_caching: bool = True
    state_dtype: str | None = None

    @property
    def in_flight(self) -> int:
        """Tokens that may be scheduled and not yet settled."""
        return self.max_num_batched_tokens * (self.pp + (1 if self.async_scheduling else 0))


class LayerSpec(Record):
    """One layer's cache on one rank; layers whose specs compare equal share a group.

    `page_bytes` is what a block of `block_size` tokens takes. `widths` tells layers of one page apart: KV
    heads and a head's elements of K and V; bytes of a latent's token; or bytes of a state before padding.
    `state_blocks` are those of a linear layer's request, `window` is in tokens.
    """

    kind: str
    block_size: int
    page_bytes: int
    widths: tuple[int, ...]
    window: int | None = None
    state_blocks: int = 0

    def without_window(self) -> LayerSpec:
        """The same layer with every token kept."""
        return self if self.window is None else self.replace(kind="full", window=None)

    def blocks_of_request(self, max_len: int, in_flight: int, dcp: int) -> int:
        """Blocks that a request of `max_len` tokens may hold at once.

        >>> LayerSpec("sliding", 16, 65536, (8, 128, 128), 4096).blocks_of_request(32768, 8192, 1)
        769
        """
        if self.kind == "linear":
            return self.state_blocks
        if self.window is None:
            return num_blocks(num_blocks(max_len, dcp), self.block_size)
        if self.kind == "chunked":
            return num_blocks(min(self.window + in_flight, max_len), self.block_size)
        return num_blocks(min(self.window - 1 + in_flight, max_len), self.block_size) + 1


def layer_specs(stack: ModelStack, deployment: Deployment) -> tuple[tuple[LayerSpec, ...], ...]:
    """The specs of every layer on one rank, in order; `LabError` if ranks cannot share the heads out."""
    stack.shape.on_one_rank(deployment.tp)  # refuses query heads that do not divide
    per_element = DTYPE_BYTES[deployment.kv_dtype]
    on_rank = [
        tuple(one.on_one_rank(deployment.tp).in_dtype(per_element) for one in layer) for layer in stack.layers
    ]
    block_size = attention_block_size(stack, on_rank, deployment)
    attention_page = block_size * _widest(on_rank)
    specs = []
    for layer in on_rank:
        specs.append(
            tuple(
                _state_spec(stack, deployment, block_size, attention_page)
                if one.kind == "linear"
                else _attention_spec(one, block_size)
                for one in layer
            )
        )
    return tuple(specs)


def attention_block_size(
    stack: ModelStack, on_rank: list[tuple[LayerGroup, ...]], deployment: Deployment
) -> int:
    """Tokens of an attention block: what was asked for, enlarged where a state has to fit into its page."""
    if stack.state is None or not _widest(on_rank):
        return deployment.block_size
    align = block_alignment(stack, deployment)
    enlarged = align * num_blocks(state_bytes(stack, deployment), align * _widest(on_rank))
    return max(deployment.block_size, enlarged)


def block_alignment(stack: ModelStack, deployment: Deployment) -> int:
    """What an enlarged block is a multiple of, in tokens."""
    return max(KERNEL_BLOCK_LATENT if stack.is_latent else KERNEL_BLOCK, deployment.block_size)


def state_bytes(stack: ModelStack, deployment: Deployment) -> int:
    """Bytes of a linear layer's state on one rank, before padding."""
    assert stack.state is not None
    state = stack.state
    if deployment.state_dtype is not None:
        require(
            state.kind != "KDA", "--state-dtype", "state_dtype_fixed", deployment.state_dtype, kind=state.kind
        )
        state = state.replace(bytes_per_element=DTYPE_BYTES[deployment.state_dtype])
    return state.bytes_on_one_rank(deployment.tp)


def _widest(on_rank: list[tuple[LayerGroup, ...]]) -> int:
    """Bytes per token of the widest attention layer, 0 without attention."""
    return max((one.bytes_per_token_per_layer for layer in on_rank for one in layer), default=0)


def _attention_spec(one: LayerGroup, block_size: int) -> LayerSpec:
    page = block_size * one.bytes_per_token_per_layer
    if one.kv_heads is None or one.k_dim is None or one.v_dim is None:
        return LayerSpec("mla", block_size, page, (one.bytes_per_token_per_layer,), one.window)
    return LayerSpec(one.kind, block_size, page, (one.kv_heads, one.k_dim, one.v_dim), one.window)


def _state_spec(stack: ModelStack, deployment: Deployment, block_size: int, attention_page: int) -> LayerSpec:
    own = state_bytes(stack, deployment)
    return LayerSpec(
        "linear",
        block_size,
        max(own, attention_page),
        (own,),
        state_blocks=2 if deployment.prefix_caching else 1,
    )


def check_context_parallel(stack: ModelStack, tp: int, dcp: int) -> None:
    """Refuse ranks over which an engine would not share out a request's tokens; `LabError` at `--dcp`."""
    if dcp == 1:
        return
    require(tp % dcp == 0, "--dcp", "dcp_divides_tp", dcp, tp=tp)
    for kind in ("sliding", "chunked"):
        require(kind not in stack.kinds, "--dcp", "dcp_with_windows", dcp, kind=kind)
    heads = [group.kv_heads for group in stack.shape.groups if group.kv_heads is not None]
    if heads:
        require(tp // max(heads) >= dcp, "--dcp", "dcp_heads", dcp, tp=tp, heads=max(heads))
