"""The shape of a model as far as its KV cache goes: groups of layers that keep the same things.

    full      attention over all tokens: every token leaves K and V (MLA: one latent) for good
    sliding   attention over the last `window` tokens      chunked   over the current chunk of `window`
    linear    a state of fixed size (Mamba, convolution, linear attention): no bytes per token

    bytes per token of a layer = KV heads x (K width + V width) x bytes per element
    tokens a request still needs = all, min(tokens, window), at most min(tokens, window), or 0

With tensor parallelism each of `tp` ranks holds KV heads / tp of them, and at least one: beyond the
number of heads they are replicated. A latent has no heads to share out: every rank holds all of it.

Source: vLLM 0.32.0, page size of a layer divided by its block size; the course's capacity formula.
Does not model
- the size of a linear layer's state, quantisation scales, padding to pages;
- the draft layers of multi-token prediction;
- tokens in flight: an engine holds ceil(min(window - 1 + in_flight, max_len) / block) + 1 blocks of a
  sliding layer and ceil(min(window + in_flight, max_len) / block) of a chunked one, where in_flight is
  max_num_batched_tokens, twice that with async scheduling. Often that is far more than the window.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.model.kv import kv_bytes_per_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = ("full", "sliding", "chunked", "linear")
STORED_BYTES_PER_ELEMENT = 2


class LayerGroup(Record):
    """Layers that keep the same: how many, and what one token leaves in each of them.

    `window` is in tokens, None without one; `k_dim` and `v_dim` are elements of one head's K and V. These and
    `kv_heads` are None where nothing is split by head: latents and states.
    """

    kind: str
    layers: int
    bytes_per_token_per_layer: int
    window: int | None = None
    kv_heads: int | None = None
    k_dim: int | None = None
    v_dim: int | None = None

    @property
    def bytes_per_token(self) -> int:
        """Bytes that one token leaves in all layers of the group, while it is inside the window."""
        return self.layers * self.bytes_per_token_per_layer

    def kept_tokens(self, tokens: int) -> int:
        """How many of a request's tokens are still needed once windows have forgotten the rest.

        Of chunked layers that many at most: a chunk that has just begun needs fewer.

        >>> [LayerGroup(kind, 24, 4096, window=128).kept_tokens(8192) for kind in ("sliding", "linear")]
        [128, 0]
        """
        if self.kind == "linear":
            return 0
        return tokens if self.window is None else min(tokens, self.window)

    def on_one_rank(self, tp: int) -> LayerGroup:
        """What one of `tp` tensor-parallel ranks keeps; `LabError` if heads and ranks do not divide.

        >>> [LayerGroup("full", 80, 4096, None, 8).on_one_rank(tp).bytes_per_token for tp in (8, 16)]
        [40960, 40960]
        """
        if self.kv_heads is None:
            return self
        heads = self.kv_heads
        require(heads % tp == 0 or tp % heads == 0, "--tp", "tp_kv_heads", tp, heads=heads)
        per_rank = max(1, heads // tp)
        in_bytes = self.bytes_per_token_per_layer // heads * per_rank
        return self.replace(bytes_per_token_per_layer=in_bytes, kv_heads=per_rank)

    def in_dtype(self, bytes_per_element: int) -> LayerGroup:
        """The same layers with elements of another size; configs are read at 16 bits."""
        elements = self.bytes_per_token_per_layer // STORED_BYTES_PER_ELEMENT
        return self.replace(bytes_per_token_per_layer=elements * bytes_per_element)


class ModelShape(Record):
    """What of a model decides its KV cache; heads and head dim are None where layers differ.

    `name` is a built-in model's name or the path of a config; `query_heads` is None if unknown.
    """

    name: str
    layers: int
    groups: tuple[LayerGroup, ...]
    query_heads: int | None = None

    @property
    def kv_heads(self) -> int | None:
        """KV heads of every attention layer."""
        return self._common("kv_heads")

    @property
    def head_dim(self) -> int | None:
        """Elements of one head's K in every attention layer."""
        return self._common("k_dim")

    def _common(self, field: str) -> int | None:
        values = {getattr(group, field) for group in self.groups if group.kind != "linear"}
        return values.pop() if len(values) == 1 else None

    @property
    def bytes_per_token(self) -> int:
        """Bytes of KV a token leaves, every attention layer charged, whole model."""
        return sum(group.bytes_per_token for group in self.groups)

    @property
    def bytes_per_token_growing(self) -> int:
        """The part that grows without end: full attention, no windows, no states."""
        return sum(group.bytes_per_token for group in self.groups if group.kind == "full")

    def kept_bytes(self, tokens: int) -> int:
        """Bytes of KV that a request of so many tokens still needs once windows have forgotten.

        At most that many if layers are chunked.
        """
        return sum(group.bytes_per_token * group.kept_tokens(tokens) for group in self.groups)

    @property
    def has_windows(self) -> bool:
        """Whether some layers forget: then charging every layer in full is more than is needed."""
        return any(group.window is not None for group in self.groups)

    def in_dtype(self, bytes_per_element: int) -> ModelShape:
        """The same model with KV elements of another size."""
        return self.replace(groups=tuple(group.in_dtype(bytes_per_element) for group in self.groups))

    def on_one_rank(self, tp: int) -> ModelShape:
        """What one tensor-parallel rank keeps; `LabError` if the heads do not divide."""
        if self.query_heads is not None:
            require(self.query_heads % tp == 0, "--tp", "tp_query_heads", tp, heads=self.query_heads)
        return self.replace(groups=tuple(group.on_one_rank(tp) for group in self.groups))


def uniform_group(layers: int, kv_heads: int, head_dim: int) -> LayerGroup:
    """A group of plain attention layers at 16 bits.

    >>> uniform_group(32, 8, 128).bytes_per_token
    131072
    """
    per_layer = kv_bytes_per_token(1, kv_heads, head_dim, STORED_BYTES_PER_ELEMENT)
    return LayerGroup("full", layers, per_layer, None, kv_heads, head_dim, head_dim)


def grouped(kept: Iterable[LayerGroup]) -> tuple[LayerGroup, ...]:
    """Equal entries of single layers added up; ordered by kind, then by first appearance.

    >>> layers = [LayerGroup("sliding", 1, 8, 4), LayerGroup("full", 1, 8), LayerGroup("sliding", 1, 8, 4)]
    >>> [(group.kind, group.layers) for group in grouped(layers)]
    [('full', 1), ('sliding', 2)]
    """
    counts: dict[LayerGroup, int] = {}
    for layer in kept:
        counts[layer] = counts.get(layer, 0) + layer.layers
    groups = [layer.replace(layers=count) for layer, count in counts.items()]
    return tuple(sorted(groups, key=lambda group: KINDS.index(group.kind)))
