"""What a problem is, and judging one answer: blank, malformed, wrong or right.

A mistake is a function of the problem's inputs that yields the wrong answers it leads to. A wrong
answer that equals one of them, in the parts that are wrong, has its diagnosis. So other inputs need no
other code, and the key takes part in nothing but right or wrong: a `Verdict` holds no key, and
messages are made from verdicts alone.

Does not model: partial credit; an answer with one wrong part is wrong.
"""

from __future__ import annotations

from fractions import Fraction

from answers.sheet import Given
from labs.base import Record
from labs.view.units import SIZES, split_quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from answers.sheet import Value

    Number = int | Fraction
    Parts = tuple[Number, ...]

BLANK, MALFORMED, WRONG, RIGHT = "blank", "malformed", "wrong", "right"

UNITS: dict[str, dict[str, Fraction]] = {
    "GiB": {name: Fraction(num_bytes, SIZES["GiB"]) for name, num_bytes in SIZES.items()},
    "slots": {"slot": Fraction(1), "slots": Fraction(1)},
    "tokens": {"token": Fraction(1), "tokens": Fraction(1)},
    "req/s": {"req/s": Fraction(1), "req/min": Fraction(1, 60)},
    "ms": {"us": Fraction(1, 1000), "ms": Fraction(1), "s": Fraction(1000)},
    "MiB": {name: Fraction(num_bytes, SIZES["MiB"]) for name, num_bytes in SIZES.items()},
    "GB": {name: Fraction(num_bytes, SIZES["GB"]) for name, num_bytes in SIZES.items()},
    "B": {name: Fraction(num_bytes) for name, num_bytes in SIZES.items()},
    "blocks": {"block": Fraction(1), "blocks": Fraction(1)},
    "rounds": {"round": Fraction(1), "rounds": Fraction(1)},
    "tokens/s": {"token/s": Fraction(1), "tokens/s": Fraction(1)},
    # where a text with another unit would repeat the question, or there is none
    "numbers": {},
}
MAX_DECIMALS = 30


class Mistake(Record):
    """A tempting mistake: what it answers on given inputs (nothing where it cannot be told apart).

    `whole`: only the whole answer tells this mistake, not its wrong parts alone. `fits` names answers
    that no list can hold. The text stands in the catalogue under `PROBLEM_NAME`.
    """

    name: str
    answers: Callable[[Any], Iterable[Parts]]
    whole: bool = False
    fits: Callable[[Any, Parts], bool] = lambda inputs, parts: False


class Problem(Record):
    """A problem: its inputs as data, its key computed from them, and its tempting mistakes.

    `shape`: `one` number, `two` numbers, or a `list` of any length, in `unit`; a `choice` is the number of
    an option, `yes` is True where the learner can do what is asked, and a `reading` is a number together with
    its assumptions, whose key `key_of_reading` gives (None: not those of the question). The catalogue of its
    `sheet` holds the question, hint and note under the problem's name. `worked` gives the figures of its
    worked solution.
    """

    name: str
    inputs: Record
    key: Callable[[Any], Parts]
    unit: str
    shape: str
    mistakes: tuple[Mistake, ...]
    sheet: str = "l3"
    worked: Callable[[Any], dict[str, object]] = lambda inputs: {}
    key_of_reading: Callable[[Any, Parts], Parts | None] | None = None


class Verdict(Record):
    """What was found about one answer: everything a message may know, and so no key.

    `reason` says what is malformed; `mistake` names the diagnosis; `fields` are the question's.
    """

    problem: str
    state: str
    given: Given | None
    fields: dict[str, object]
    unit: str
    reason: str | None = None
    mistake: str | None = None
    sheet: str = "l3"


def judge(problem: Problem, given: Given | None) -> Verdict:
    """The verdict on an answer; None stands for a line that is missing, which is blank."""
    fields = {name: _shown(value) for name, value in problem.inputs.as_dict().items()}
    verdict = Verdict(problem.name, BLANK, given, fields, problem.unit, sheet=problem.sheet)
    if given is None or is_blank(given.value):
        return verdict
    parts, reason = read_parts(given.value, problem.shape, problem.unit)
    if reason is not None:
        return verdict.replace(state=MALFORMED, reason=reason)
    key = (
        problem.key_of_reading(problem.inputs, parts)
        if problem.key_of_reading
        else problem.key(problem.inputs)
    )
    if key is None:
        return verdict.replace(state=MALFORMED, reason="other_sizes")
    if parts == key:
        return verdict.replace(state=RIGHT)
    wrong_parts = [i for i, part in enumerate(parts) if i >= len(key) or part != key[i]]
    return verdict.replace(state=WRONG, mistake=diagnosis(problem, parts, wrong_parts))


def _shown(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def is_blank(value: Value) -> bool:
    """Whether an answer is `...`, or a list of nothing else.

    >>> is_blank(...), is_blank((..., ...)), is_blank((Fraction(4), ...)), is_blank(())
    (True, True, False, False)
    """
    return value is ... or (isinstance(value, tuple) and value != () and all(v is ... for v in value))


def read_parts(value: Value, shape: str, unit: str) -> tuple[Parts, str | None]:
    """The numbers of an answer in its problem's unit, and what is wrong with its form (None: nothing).

    >>> read_parts(("512 MiB", Fraction(1)), "two", "GiB")
    ((Fraction(1, 2), Fraction(1, 1)), None)
    """
    if shape == "yes":
        return ((int(value),), None) if isinstance(value, bool) else ((), "not_yes")
    if shape == "reading":
        return _read_reading(value)
    elements = value if isinstance(value, tuple) else (value,)
    shape = "one" if shape == "choice" else shape
    if isinstance(value, tuple) is (shape == "one") or (shape == "two" and len(elements) != 2):
        return (), f"not_{shape}" if UNITS[unit] else "bare"
    if any(element is ... for element in elements):
        return (), "partly_blank"
    parts = []
    for element in elements:
        if not isinstance(element, Fraction) and not UNITS[unit]:
            return (), "bare"
        if isinstance(element, str):
            element = in_unit(element, unit)
            if element is None:
                return (), "no_fitting_unit"
        if not isinstance(element, Fraction):
            return (), f"not_{shape}"
        parts.append(element)
    return tuple(parts), None


def _read_reading(value: Value) -> tuple[Parts, str | None]:
    """A number with the assumptions that it rests on: [number, size, size, share], sizes with their units."""
    if not isinstance(value, tuple) or len(value) != 4:
        return (), "not_reading"
    number, size, other, share = value
    if not (isinstance(size, str) and isinstance(other, str)):
        return (), "not_reading"
    sizes = in_unit(size, "B"), in_unit(other, "B")
    if not isinstance(number, Fraction) or not isinstance(share, Fraction) or sizes[0] is None:
        return (), "not_reading"
    return ((), "not_reading") if sizes[1] is None else ((number, sizes[0], sizes[1], share), None)


def in_unit(text: str, unit: str) -> Fraction | None:
    """A text's quantity in a unit; None if it is no number with a unit of that kind.

    >>> in_unit("0.25 s", "ms"), in_unit("30 req/min", "req/s"), in_unit("3", "ms"), in_unit("3 kg", "ms")
    (Fraction(250, 1), Fraction(1, 2), None, None)
    """
    number, name = split_quantity(text)
    digits = number.removeprefix("-").replace(".", "", 1)
    plain = digits.isascii() and digits.isdigit() and number[-1] != "."
    if not plain or len(digits) > MAX_DECIMALS or name not in UNITS[unit]:
        return None
    return Fraction(number) * UNITS[unit][name]


def diagnosis(problem: Problem, parts: Parts, wrong_parts: list[int]) -> str | None:
    """The name of the mistake that explains a wrong answer; None if none of the table does.

    A mistake that explains the whole answer goes before one that explains its wrong parts only; among
    several, the order of the table decides.
    """
    for mistake in problem.mistakes:
        answers = list(mistake.answers(problem.inputs))
        if any(_agree(parts, answer, range(len(parts))) for answer in answers):
            return mistake.name
    for mistake in problem.mistakes:
        if mistake.fits(problem.inputs, parts):
            return mistake.name
        if problem.shape == "two" and not mistake.whole:
            answers = list(mistake.answers(problem.inputs))
            if any(_agree(parts, answer, wrong_parts) for answer in answers):
                return mistake.name
    return None


def _agree(parts: Parts, answer: Parts, indexes: Iterable[int]) -> bool:
    return len(parts) == len(answer) and all(is_rounded(parts[i], answer[i]) for i in indexes)


def is_rounded(given: Number, exact: Number) -> bool:
    """Whether a number is another one, or that one rounded to the decimals that are given.

    At least two digits must be left, or too much would be a rounding of too much else.

    >>> is_rounded(Fraction("4.3"), Fraction("4.294967296")), is_rounded(4, Fraction("4.294967296"))
    (True, False)
    """
    if given == exact:
        return True
    for decimals in range(1, MAX_DECIMALS):
        scale: int = 10**decimals
        if (given * scale).denominator == 1:
            off_by = abs(Fraction(given) - exact)
            return abs(Fraction(given)) * scale >= 10 and 2 * off_by * scale <= 1
    return False
