"""The memory of a GPU line by line, as a log prints it: what of it is left for KV.

    share      total x utilization
    V0         KV = share - weights - other - activation peak, or share - torch's peak (weights in it) - other
    V1         KV and weights are printed, what else the profile found is not: other = share - weights - KV

Where the utilization is neither printed nor told, a V1 log gives its lower bound: (weights + KV) / total.

Source: vLLM 0.6 to 0.32, the profile's lines.
Does not model: CUDA graphs, which newer engines may take off as well.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.sizing.log.printed import GIB, Rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.sizing.log.printed import Printed

DEFAULT_UTILIZATION = Rounded(Fraction(9, 10))
MOST_OTHER = Fraction(1, 4)  # of the total: more than that is no activation peak, but another utilization


class Budget(Record):
    """Total memory and share in GiB, what is taken off by name, and what is left, each with its range.

    `kv_gib` is what the lines leave, None where the log does not print them all; `other_gib` is what
    remains unexplained in a V1 log. `utilization_at_least` stands where weights and KV do not go with the
    share.
    """

    total_gib: Rounded
    utilization: Rounded
    utilization_is_known: bool
    share_gib: Rounded
    parts: tuple[tuple[str, Rounded], ...]
    kv_gib: Rounded | None = None
    printed_kv_gib: Rounded | None = None
    printed_share_gib: Rounded | None = None
    other_gib: Rounded | None = None
    utilization_at_least: Fraction | None = None

    @property
    def share_holds(self) -> bool:
        """Whether the printed share is total x utilization."""
        return self.printed_share_gib is None or _overlap(self.share_gib, self.printed_share_gib)

    @property
    def kv_holds(self) -> bool:
        """Whether the printed KV memory is what the lines leave."""
        return (
            self.kv_gib is None or self.printed_kv_gib is None or _overlap(self.kv_gib, self.printed_kv_gib)
        )

    @property
    def holds(self) -> bool:
        """Whether all printed lines of the budget go together."""
        return self.share_holds and self.kv_holds


def _overlap(one: Rounded, other: Rounded) -> bool:
    return one.low <= other.high and other.low <= one.high


def budget_of(
    printed: Printed, gpu_bytes: int | None = None, utilization: Fraction | None = None
) -> Budget | None:
    """The budget that a log's lines, and what the user says of the GPU, allow; None without a total."""
    total = Rounded(Fraction(gpu_bytes, GIB)) if gpu_bytes is not None else printed.total_gib
    if total is None:
        return None
    told = Rounded(utilization) if utilization is not None else printed.utilization
    share = _share(total, told or DEFAULT_UTILIZATION)
    parts = _parts(printed)
    complete = printed.is_v0 and len(parts) >= 2
    left = _minus(share, [part for _, part in parts])
    budget = Budget(
        total,
        told or DEFAULT_UTILIZATION,
        told is not None,
        share,
        parts,
        kv_gib=left if complete else None,
        printed_kv_gib=printed.kv_gib,
        printed_share_gib=printed.budget_gib,
    )
    if printed.is_v0 or printed.kv_gib is None or printed.weights_gib is None:
        return budget
    other = _minus(left, [printed.kv_gib])
    budget = budget.replace(other_gib=other)
    if other.high < 0 or (told is None and other.low > MOST_OTHER * total.value):
        taken = (printed.weights_gib.value + printed.kv_gib.value) / total.value
        return budget.replace(utilization_at_least=taken)
    return budget


def _parts(printed: Printed) -> tuple[tuple[str, Rounded], ...]:
    names: tuple[str, ...] = ("weights_gib", "non_torch_gib", "activation_peak_gib")
    if printed.peak_torch_gib is not None:  # the peak holds the weights already
        names = ("peak_torch_gib", "non_torch_gib")
    found = [(name, getattr(printed, name)) for name in names]
    return tuple((name, part) for name, part in found if part is not None)


def _share(total: Rounded, utilization: Rounded) -> Rounded:
    """Total x utilization; the latter is the user's own setting, printed as it was given."""
    return Rounded(total.value * utilization.value, total.half * utilization.value)


def _minus(share: Rounded, parts: list[Rounded]) -> Rounded:
    value = share.value - sum((part.value for part in parts), Fraction(0))
    return Rounded(value, share.half + sum((part.half for part in parts), Fraction(0)))
