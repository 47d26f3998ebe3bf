"""Predicted quantities with units against a run's figures, and which mistake gives what was predicted.

    kv=128KiB        KV per token: 128 KiB        17/31 tokens, block=16: 4 blocks, 64 reserved slots

    prediction   statements, parted by a newline, "|", ";" or a comma; compared in their order
    statement    NAME = QUANTITY or NAME: QUANTITY, or a count with its word, as 4 blocks
    quantity     a number, or what the lab prints; sizes, times and rates carry a unit

What a name may be stands beside each lab's quantities; what the lab prints is read too, in both languages. A
number without its unit is refused with the two readings it could have had. What stands in brackets or behind
the quantity is passed over.

A size, time or rate is right if it is exact, or rounded and has three digits or more. A wrong one is set
against what each known mistake would give: of those that give it the first in the list is the cause, and the
others are told beside it. Failing these, the ratio is looked at: 1.024, 1.0486 or 1.0737 (a binary unit for a
decimal one), or a power of two.
Does not model: two mistakes at once.
"""

from __future__ import annotations

import re
from fractions import Fraction

from labs.base import LabError, Record, require
from labs.predict.answer import Answer, Difference
from labs.predict.pieces import WHERE, pieces, result_lines
from labs.predict.units import ARITHMETIC, COUNT, NUMBER, RATE, UNITS, known_unit, readings
from labs.view.times import number_text
from labs.view.units import MAX_DIGITS, SIZES, rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Number = int | Fraction

WORDS = "words"  # one of a few
NEVER, ALWAYS, NONE = "never", "always", "none"  # in place of a number that there need not be
WORDS_FOR_NONE = (
    (ALWAYS, "always|every|at any|总是|始终|永远(?!不)|任何.*下都是"),
    (NEVER, "never|at no|永不|永远不|从不|绝不|都?不会"),
    (NONE, r"\bnone\b|^\s*no\b|无|没有|不存在"),
)
BINARY_FOR_DECIMAL = {"kib_for_kb": Fraction(1024, 1000)}
BINARY_FOR_DECIMAL |= {"mib_for_mb": Fraction(1024, 1000) ** 2, "gib_for_gb": Fraction(1024, 1000) ** 3}
TWO_COUNTS = re.compile(
    r"([0-9]\s*(?:blocks?|块|(?:reserved |used |个 ?)?slots?))\s+(?:and\s+|和\s*)?(?=[0-9])"
)
RESULTS = re.compile(
    r"KV |[0-9/]+ tokens?\b|[0-9.]+ \w+ / |Logical use|Physical use|每 ?token KV|逻辑用量|物理用量"
    r"|fits:|the engine|一个 [0-9]|能放下：|引擎的"
    r"|(?:fetch cost|recompute|saving|cheaper|effective rate|取回代价|重算|节省|代价更低|有效速率)[:：]"
    r"|(?:break-even|盈亏平衡)(?!.*(?:not solved|无法求解))"
)
ENOUGH_DIGITS = 3


class Mistake(Record):
    """A value that somebody gets who makes a mistake, and the figures to tell it with."""

    cause: str
    value: Number
    values: Mapping[str, object]


class Quantity(Record):
    """A figure of the run: its name in JSON, the words that name it, its kind, its value.

    Of kind WORDS the value is one of `words`, each with what is written for it. `unsolved` says why the run
    has no such figure; None means that it was not asked for one. A number that there need not be has words as
    well: `never` and `always`, of which `without` holds, and `none`, which is both.
    """

    name: str
    label: str
    kind: str
    actual: Number | str | None
    mistakes: tuple[Mistake, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    unsolved: str | None = None
    without: str | None = None
    values: tuple[tuple[str, object], ...] = ()


class Statement(Record):
    """What was predicted of a quantity: a value, and half of its last digit; or a word."""

    quantity: Quantity
    written: str
    value: Fraction | str
    half: Fraction = Fraction(0)
    digits: int = 0

    def gives(self, value: Number, least_digits: int) -> bool:
        """Whether the value is what was written, exactly or rounded to its digits."""
        if isinstance(self.value, str) or self.quantity.kind == COUNT:
            return self.value == value
        exact = self.value == value
        return exact or (self.digits >= least_digits and abs(self.value - value) <= self.half)


def read_statements(text: str, quantities: Sequence[Quantity]) -> tuple[Statement, ...]:
    """The statements of a prediction; `LabError` names the line of one that cannot be read."""
    text = result_lines(text, RESULTS)
    return tuple(
        [
            statement
            for line, piece in pieces(text)
            for statement in _of_piece(piece, quantities, f"{WHERE}, line {line}")
        ]
    )


def _of_piece(piece: str, quantities: Sequence[Quantity], where: str) -> Iterator[Statement]:
    plain = re.sub(r"[(（][^()（）]*[)）]|[,，]?\s*block\s*=\s*[0-9]+|约|about|~|≈", " ", piece)
    plain = re.sub(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))", "", plain)
    plain = TWO_COUNTS.sub(r"\1, ", plain)
    # a comma that another name follows parts statements; the lab's `Logical use, 3 x 8192 tokens: ...` is one
    for part in _parts(plain):
        at = max(part.rfind(":"), part.rfind("："))
        at = part.find("=") if at < 0 else at
        label, value = part[:at] if at >= 0 else "", part[at + 1 :]
        named = _named(label, quantities)
        for place, words in enumerate(re.split(r"[,，、]", value)):
            quantity = named if place == 0 else None
            if quantity is not None and _word_for_none(quantity, value):
                yield _statement(quantity, value, where)
                break
            if quantity is None or (quantity.kind == WORDS and not _word(quantity, words)):
                quantity = _named(words, quantities) or quantity
            if place and named is not None and named.kind == WORDS and not re.search("[0-9]", words):
                continue
            if quantity is None and place and ("GPU" in words or not re.search("[0-9]", words)):
                continue  # the lab's own line goes on
            if quantity is None:
                known = ", ".join([one.name for one in quantities])
                raise LabError(where, "predict_unnamed", part.strip(), known=known)
            yield _statement(quantity, words, where)


def _parts(piece: str) -> list[str]:
    parts: list[str] = []
    for part in re.split(r"[,，、](?=[^,，、:：=]*[:：=])", piece):
        if parts and not re.search("[0-9:：=]", parts[-1]):
            parts[-1] += " " + part
        else:
            parts.append(part)
    return parts


def _named(words: str, quantities: Sequence[Quantity]) -> Quantity | None:
    plain = words.strip().lower().replace("_", " ").replace("-", " ")
    return next((one for one in quantities if plain and re.search(one.label, plain)), None)


def _word(quantity: Quantity, text: str) -> str | None:
    return next((word for word, written in quantity.words if re.search(written, text.lower())), None)


def _word_for_none(quantity: Quantity, text: str) -> str | None:
    """The word that stands in place of a number, not behind one."""
    return None if quantity.kind == WORDS else _word(quantity, re.split("[0-9]", text, maxsplit=1)[0])


def _statement(quantity: Quantity, text: str, where: str) -> Statement:
    written, kind = text.strip(), quantity.kind
    if kind == WORDS:
        word = _word(quantity, text)
        choices = ", ".join([word for word, _ in quantity.words])
        require(word is not None, where, "not_one_of", written, choices=choices)
        return Statement(quantity, written, str(word))
    if word := _word_for_none(quantity, text):
        return Statement(quantity, written, word)
    found = NUMBER.search(text.replace("−", "-"))
    if found is None:
        raise LabError(where, "predict_no_number", written)
    sign, number, unit = found[1], found[2], found[3] or ""
    require(len(number) <= MAX_DIGITS, where, "too_many_digits", number, most=MAX_DIGITS)
    size = Fraction(1)
    require(not ARITHMETIC.match(text, found.end(2)), where, "predict_arithmetic", written)
    if kind in UNITS:
        unit = known_unit(unit, kind)
        if two := readings(kind, number, unit):
            first, second = two
            raise LabError(where, "bare_number", written, first=number + first, second=number + second)
        require(unit in UNITS[kind], where, "unknown_unit", written, units=", ".join(UNITS[kind]))
        size = UNITS[kind][unit]
    elif unit in SIZES:
        raise LabError(where, "predict_a_count", written)
    decimals = len(number.partition(".")[2])
    value = Fraction(sign + number) * size
    digits = len(number.replace(".", "").lstrip("0"))
    return Statement(quantity, found[0].strip(), value, size / 10**decimals / 2, digits)


def check_quantities(quantities: Sequence[Quantity], statements: Sequence[Statement]) -> Answer:
    """The answer to these statements; `LabError` for a figure that this run was not asked for."""
    for checked, statement in enumerate(statements):
        quantity = statement.quantity
        if quantity.actual is None and quantity.unsolved is None:
            raise LabError(WHERE, "predict_not_in_run", statement.written, name=quantity.name)
        if quantity.actual is None and statement.value in (quantity.without, NONE):
            continue
        if quantity.actual is None:
            return Answer("quantities", checked, _made(statement, str(quantity.unsolved), {}))
        if isinstance(quantity.actual, str):
            if statement.value != quantity.actual:
                values = dict(quantity.values)
                return Answer("quantities", checked, _made(statement, f"not_{quantity.name}", values))
        elif isinstance(statement.value, str):
            return Answer("quantities", checked, _made(statement, "there_is_one", dict(quantity.values)))
        elif not statement.gives(quantity.actual, ENOUGH_DIGITS):
            return Answer("quantities", checked, _wrong(statement, quantity.actual))
    return Answer("quantities", len(statements), None)


def _wrong(statement: Statement, actual: Number) -> Difference:
    """By the first mistake that gives exactly what was written, or rounds to it; else by the ratio."""
    tempting = [*statement.quantity.mistakes, *_by_ratio(statement.quantity.kind, actual)]
    tempting = [one for one in tempting if one.value != actual]
    found = [one for one in tempting if one.value == statement.value]
    if not found and statement.gives(actual, 1):
        return _made(statement, "too_few_digits", {"least": ENOUGH_DIGITS})
    found = found or [one for one in tempting if statement.gives(one.value, 2)]
    if not found:
        return _made(statement, "other_value", {})
    first, others = found[0], dict.fromkeys([one.cause for one in found[1:]])
    also = [cause for cause in others if cause not in ("power_of_two", first.cause)]
    return _made(statement, first.cause, {**first.values, "also": also})


def _by_ratio(kind: str, actual: Number) -> Iterator[Mistake]:
    if kind in UNITS and kind != RATE:
        for cause, ratio in BINARY_FOR_DECIMAL.items():
            yield Mistake(cause, actual * ratio, {"ratio": number_text(ratio, places=4)})
            yield Mistake(cause, actual / ratio, {"ratio": number_text(ratio, places=4)})
    for exponent in range(1, 21):
        yield Mistake("power_of_two", actual * 2**exponent, {"exponent": exponent})
        yield Mistake("power_of_two", Fraction(actual) / 2**exponent, {"exponent": -exponent})


def _made(statement: Statement, cause: str, values: Mapping[str, object]) -> Difference:
    """A difference in one quantity; `factor` is predicted / right."""
    quantity, actual, given = statement.quantity, statement.quantity.actual, statement.value
    told: dict[str, object] = {"kind": quantity.kind, "written": statement.written, **values}
    told.setdefault("factor", None)
    right = actual if actual is None or isinstance(actual, str) else as_number(actual)
    if actual is not None and not isinstance(actual, str):
        told["exact"] = [Fraction(actual).numerator, Fraction(actual).denominator]
        if not isinstance(given, str):
            told["factor"] = number_text(given / actual, places=4) if actual else None
    predicted = given if isinstance(given, str) else as_number(given)
    return Difference(cause, {"quantity": quantity.name}, predicted, right, told)


def as_number(value: Number) -> int | float:
    """A whole number as it is, another one to 6 places.

    >>> as_number(Fraction(4, 2)), as_number(Fraction(1, 3))
    (2, 0.333333)
    """
    if value.denominator == 1:
        return int(value)
    return rounded(value.numerator, value.denominator, 6) / 10**6
