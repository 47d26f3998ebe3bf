"""The fixed state that a linear layer keeps of a request, whatever its length: bytes on one rank.

    gated delta net   conv channels = 2 x key heads x key dim + value heads x value dim
                      state         = value heads x value dim x key dim
    Mamba-2           conv channels = heads x head dim + 2 x groups x state size
                      state         = heads x head dim x state size
    Mamba-1           conv channels = expand x hidden          state = expand x hidden x state size
    KDA               conv channels = 3 x heads x head dim     state = heads x head dim x head dim
    short convolution conv channels = its width                no state

    bytes on one rank = channels / tp x (conv kernel - 1) x 2  +  state / tp x bytes of a state element

Groups are shared out with the heads; where ranks and groups do not divide, every rank gets one. The
convolution's inputs are kept at 16 bits. State elements have the dtype that the file or its class names,
else 16 bits as well: an engine can be told otherwise (`--mamba-ssm-cache-dtype`).

Source: vLLM 0.32.0, `MambaStateShapeCalculator` and the model classes that call it.
Does not model: states of speculative decoding, ring buffers of replayed states; other kinds of states
(lightning attention, RG-LRU, RWKV), which are refused by name.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.model.kv import DTYPE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.keys import Section

CONV_BYTES = 2
STATE_DTYPE = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
FLOAT32_IN_CLASS = ("qwen35", "nemotronh")  # these models' own default where the file is silent
# A key that only one kind of state has, and that kind's name: what is refused is called by it.
KINDS = {
    "linear_num_value_heads": "gated delta net",
    "mamba_num_heads": "Mamba-2",
    "mamba_n_heads": "Mamba-2",
    "n_mamba_heads": "Mamba-2",
    "mamba_d_state": "Mamba-1",
    "linear_attn_config": "KDA",
    "attn_type_list": "lightning attention",
    "lru_width": "RG-LRU",
    "conv_L_cache": "short convolution",
    "rescale_every": "RWKV",
    "head_size_divisor": "RWKV",
    "state_size": "Mamba",
}


class LinearState(Record):
    """What one linear layer keeps of a request, over all ranks.

    `channels` pass through the convolution of `kernel` tokens, and `channels_per_group` more for each of
    `groups`; `elements` are those of the state proper, of `bytes_per_element` bytes.
    """

    kind: str
    channels: int
    kernel: int
    elements: int
    bytes_per_element: int
    groups: int = 0
    channels_per_group: int = 0

    def bytes_on_one_rank(self, tp: int) -> int:
        """Bytes of the convolution's inputs and of the state on one of `tp` ranks; `LabError` at `--tp`.

        >>> LinearState("gated delta net", 10240, 4, 786432, 4).bytes_on_one_rank(1)
        3207168
        """
        groups = self.groups if self.groups % tp == 0 else tp
        channels = self.channels + groups * self.channels_per_group
        require(channels % tp == 0 and self.elements % tp == 0, "--tp", "tp_state", tp, kind=self.kind)
        return channels // tp * (self.kernel - 1) * CONV_BYTES + self.elements // tp * self.bytes_per_element


def state_kind(section: Section) -> str:
    """The name of the kind of state that a config's keys are about."""
    return next((kind for key, kind in KINDS.items() if section.has(key)), "linear attention")


def linear_state(section: Section) -> LinearState:
    """The state of a config's linear layers; `LabError` if its kind has no formula or a key is missing."""
    kind = state_kind(section)
    if kind == "gated delta net":
        return _gated_delta_net(section)
    if kind == "Mamba-2":
        return _mamba2(section)
    if kind == "Mamba-1":
        inner = section.needed("mamba_expand") * section.needed("hidden_size")
        kernel, size = section.needed("mamba_d_conv"), section.needed("mamba_d_state")
        return LinearState(kind, inner, kernel, inner * size, _bytes_per_element(section))
    if kind == "short convolution":
        width = section.whole("conv_dim") or section.needed("hidden_size")
        return LinearState(kind, width, section.needed("conv_L_cache"), 0, _bytes_per_element(section))
    if kind == "KDA":
        return _kda(section)
    key = next((key for key in KINDS if section.has(key)), "layer_types")
    raise section.error("config_state_kind", key, kind=kind)


def _gated_delta_net(section: Section) -> LinearState:
    key_width = section.needed("linear_num_key_heads") * section.needed("linear_key_head_dim")
    value_width = section.needed("linear_num_value_heads") * section.needed("linear_value_head_dim")
    return LinearState(
        "gated delta net",
        channels=2 * key_width + value_width,
        kernel=section.needed("linear_conv_kernel_dim"),
        elements=value_width * section.needed("linear_key_head_dim"),
        bytes_per_element=_bytes_per_element(section),
    )


def _mamba2(section: Section) -> LinearState:
    heads = section.needed("mamba_num_heads", "mamba_n_heads", "n_mamba_heads")
    width = heads * section.needed("mamba_head_dim", "mamba_d_head", "mamba_headdim")
    size = section.needed("ssm_state_size", "mamba_d_state")
    return LinearState(
        "Mamba-2",
        channels=width,
        kernel=section.needed("conv_kernel", "mamba_d_conv"),
        elements=width * size,
        bytes_per_element=_bytes_per_element(section),
        groups=section.needed("n_groups", "mamba_n_groups", "mamba_ngroups"),
        channels_per_group=2 * size,
    )


def _kda(section: Section) -> LinearState:
    config = section.object("linear_attn_config")
    assert config is not None  # the kind was told by this key
    width = config.needed("num_heads") * config.needed("head_dim")
    kernel = config.needed("short_conv_kernel_size")
    return LinearState("KDA", 3 * width, kernel, width * config.needed("head_dim"), 4)


def _bytes_per_element(section: Section) -> int:
    """Bytes of a state's element: by the file, else by the model's class, else as the convolution's."""
    for key in STATE_DTYPE:
        if section.has(key):
            word = section.get(key)
            if not isinstance(word, str) or word not in DTYPE_BYTES:
                raise section.error("config_state_dtype", key, word, choices=", ".join(DTYPE_BYTES))
            return DTYPE_BYTES[word]
    return 4 if section.named(*FLOAT32_IN_CLASS) else 2
