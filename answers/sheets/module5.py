"""`module5`: the KV cache of three models in three scenarios, and three questions about it.

    KV bytes = 2 (K and V) x layers x KV heads x head dim x bytes per element x tokens
    requests = floor((card x share - weights) / KV bytes of a request)

The last question hides its assumptions: whether sizes count powers of ten or of two, and how much of the card
an engine may use. So an answer names them, and each reading has its own key.

Source: the course's module 5. Does not model: activations and other memory, rounding to blocks.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from answers.draw import Draw, fresh
from answers.problem import Mistake, Problem
from labs.base import Record
from labs.model.kv import kv_bytes_per_token
from labs.view.units import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from answers.problem import Number, Parts

SHEET = "module5"
SHARES = (Fraction(1), Fraction(9, 10), Fraction(95, 100))


class Model(Record):
    """A model with 16-bit KV, and scenarios: tokens of the prompt and of the output."""

    model: str
    layers: int
    query_heads: int
    kv_heads: int
    head_dim: int = 128
    prompts: tuple[int, ...] = (128, 512, 4096)
    outputs: tuple[int, ...] = (128, 512, 2048)
    concurrent: int = 1

    def size(self, unit: str, heads: int | None = None) -> Parts:
        """KV of the concurrent requests in each scenario."""
        per_token = kv_bytes_per_token(self.layers, heads or self.kv_heads, self.head_dim, 2)
        tokens = [prompt + output for prompt, output in zip(self.prompts, self.outputs)]
        return tuple(Fraction(per_token * n * self.concurrent, SIZES[unit]) for n in tokens)


class Fit(Model):
    """A model's one scenario on a card; both sizes stand without saying which unit they mean."""

    prompts: tuple[int, ...] = (4096,)
    outputs: tuple[int, ...] = (2048,)
    card: int = 80
    weights: int = 16


LLAMA_8B = Model("Llama-3-8B", layers=32, query_heads=32, kv_heads=8)
QWEN_7B = Model("Qwen2.5-7B", layers=28, query_heads=28, kv_heads=4)
LLAMA_70B = Model("Llama-3-70B", layers=80, query_heads=64, kv_heads=8)


def scaled(unit: str, *factors: Number) -> Callable[[Model], list[Parts]]:
    return lambda p: [tuple(part * factor for part in p.size(unit)) for factor in factors]


def of_tokens(unit: str, which: str) -> Callable[[Model], list[Parts]]:
    """The KV of the prompts or of the outputs alone."""
    return lambda p: [p.replace(**{which: (0,) * len(p.prompts)}).size(unit)]


def size_mistakes(unit: str) -> tuple[Mistake, ...]:
    decimal = Fraction(SIZES[unit], SIZES[unit.replace("i", "")])
    return (
        Mistake("query_heads", lambda p: [p.size(unit, heads=p.query_heads)]),
        Mistake("k_or_v_forgotten", scaled(unit, Fraction(1, 2))),
        Mistake("bits_for_bytes", scaled(unit, 8)),
        Mistake("decimal_unit", scaled(unit, decimal, 1 / decimal)),
        Mistake("prompt_only", of_tokens(unit, "outputs")),
        Mistake("output_only", of_tokens(unit, "prompts")),
        Mistake("one_layer", lambda p: [p.replace(layers=1).size(unit)]),
        Mistake("other_unit", scaled(unit, 1024, Fraction(1, 1024), SIZES[unit])),
    )


MANY_MISTAKES = (
    Mistake("one_request", lambda p: [p.replace(concurrent=1).size("GiB")] if p.concurrent > 1 else []),
    *size_mistakes("GiB"),
)


def requests_at(inputs: Fit, reading: Parts) -> int:
    """Whole requests whose KV the card holds beside the weights, in one reading of the sizes."""
    card, weights, share = reading
    (per_request,) = inputs.size("B")
    return max(int((card * share - weights) // per_request), 0)


def readings(inputs: Fit) -> Iterator[Parts]:
    """Every reading of the two sizes, with the shares that are in use."""
    for card, weights, share in product(("GiB", "GB"), ("GiB", "GB"), SHARES):
        yield Fraction(inputs.card * SIZES[card]), Fraction(inputs.weights * SIZES[weights]), share


def key_of_reading(inputs: Fit, parts: Parts) -> Parts | None:
    """The key under the assumptions that an answer names; None if they are not the question's.

    >>> fit = Fit("m", layers=32, query_heads=32, kv_heads=8)
    >>> [key_of_reading(fit, (0, *reading))[0] for reading in readings(fit)][:4]
    [85, 74, 80, 86]
    """
    _, card, weights, share = parts
    sizes = {(card, weights) for card, weights, _ in readings(inputs)}
    if (card, weights) not in sizes or not 0 < share <= 1:
        return None
    return (requests_at(inputs, (card, weights, share)), card, weights, share)


def first_reading(inputs: Fit) -> Parts:
    """All in powers of two, and the whole card."""
    reading = next(readings(inputs))
    return (requests_at(inputs, reading), *reading)


def misread(count: Callable[[Number, Number, Number, Number], Number]) -> Callable[[Fit], Iterator[Parts]]:
    """What a mistake answers under each reading, where that is not the key of the reading."""

    def answers(inputs: Fit) -> Iterator[Parts]:
        for card, weights, share in readings(inputs):
            wrong = int(count(card, weights, share, inputs.size("B")[0]))
            if wrong != requests_at(inputs, (card, weights, share)):
                yield (wrong, card, weights, share)

    return answers


FIT_MISTAKES = (
    Mistake("weights_left_out", misread(lambda card, weights, share, each: card * share // each)),
    Mistake("rounded_up", misread(lambda card, weights, share, each: (card * share - weights) // each + 1)),
    Mistake(
        "share_of_the_rest", misread(lambda card, weights, share, each: (card - weights) * share // each)
    ),
    Mistake(
        "half_a_request", misread(lambda card, weights, share, each: (card * share - weights) * 2 // each)
    ),
)


def table_worked(inputs: Model) -> dict[str, object]:
    per_token = kv_bytes_per_token(inputs.layers, inputs.kv_heads, inputs.head_dim, 2)
    return {"per_token": per_token, "tokens": [a + b for a, b in zip(inputs.prompts, inputs.outputs)]}


def fit_worked(inputs: Fit) -> dict[str, object]:
    counts = [requests_at(inputs, reading) for reading in readings(inputs)]
    sizes = f'"{inputs.card} GiB", "{inputs.weights} GiB"'
    return {
        **table_worked(inputs),
        "each": inputs.size("MiB")[0],
        "reading": f"[{counts[0]}, {sizes}, 1]",
        "counts": [counts[i] for i in (0, 1, 3, 9, 10)],
    }


def table(name: str, model: Model) -> Problem:
    mistakes = size_mistakes("MiB")
    return Problem(name, model, lambda p: p.size("MiB"), "MiB", "list", mistakes, SHEET, table_worked)


def question(name: str, inputs: Model, unit: str, mistakes: tuple[Mistake, ...]) -> Problem:
    return Problem(name, inputs, lambda p: p.size(unit), unit, "one", mistakes, SHEET, table_worked)


ONE = LLAMA_8B.replace(prompts=(4096,), outputs=(2048,))
MANY = LLAMA_8B.replace(prompts=(512,), outputs=(512,), concurrent=100)
FIT = Fit("Llama-3-8B", layers=32, query_heads=32, kv_heads=8)


def drawn(course: Model) -> Callable[[Draw], Record]:
    """Draws another model and other tokens; a name would promise the real model's numbers."""

    def draw_model(draw: Draw) -> Record:
        kv_heads = draw.choice((2, 4, 8))
        number = len(course.prompts)
        changes: dict[str, object] = {
            "model": draw.choice(("Model P", "Model Q", "Model R")),
            "layers": draw.choice((16, 24, 28, 32, 36, 40, 48, 64)),
            "kv_heads": kv_heads,
            "query_heads": kv_heads * draw.choice((4, 5, 6, 7)),
            "prompts": tuple(draw.between(1, 20) * 128 * (i + 1) for i in range(number)),
            "outputs": tuple(draw.between(1, 9) * 128 * (i + 1) for i in range(number)),
        }
        if course.concurrent > 1:
            changes["concurrent"] = draw.between(20, 160, 10)
        if isinstance(course, Fit):
            changes["card"] = draw.choice((24, 40, 48, 80, 96))
            changes["weights"] = draw.between(8, 18)
        return course.replace(**changes)

    return draw_model


PROBLEMS = (
    table("p1", LLAMA_8B),
    table("p2", QWEN_7B),
    table("p3", LLAMA_70B),
    question("p4", ONE, "MiB", size_mistakes("MiB")),
    question("p5", MANY, "GiB", MANY_MISTAKES),
    Problem(
        *("p6", FIT, first_reading, "numbers", "reading", FIT_MISTAKES, SHEET, fit_worked, key_of_reading)
    ),
)


def problems(seed: int) -> tuple[Problem, ...]:
    """Three rows of the table and the three questions.

    >>> [part for part in problems(0)[1].key(QWEN_7B)]
    [Fraction(14, 1), Fraction(56, 1), Fraction(336, 1)]
    """
    return tuple(fresh(problem, drawn(problem.inputs), seed) for problem in PROBLEMS)  # type: ignore[arg-type]
