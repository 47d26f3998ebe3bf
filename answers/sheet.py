"""Reading an answer sheet: Python-looking assignments that are parsed, never executed.

A sheet holds lines `NAME = ANSWER`, and comments. An answer is built from numbers, text, lists or
tuples, `...` (blank), and + - * / // % ** on numbers. A number keeps its exact value: 0.1 is one
tenth. Anything else is a `LabError` at `path:line`. Sizes are bounded before Python's parser sees the
text, since long or deep texts make it fail differently in each version.

Does not model: names, calls, conditions; a sheet is data.
"""

from __future__ import annotations

import ast
import re
import warnings
from fractions import Fraction

from answers.keyboard import plain
from labs.base import LabError, Record
from labs.files.text import read_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import EllipsisType

    from answers.header import Header

    Value = Fraction | str | bool | EllipsisType | tuple["Value", ...] | None

MAX_BYTES = 1 << 20
MAX_STATEMENT = 300  # characters of code in one statement, so that no chain of operators is deep
MAX_NESTING = 20
MAX_DIGITS = 40  # characters of one number as it is written, and its exponent of ten
MAX_BITS = 4096  # of the numerator and of the denominator of any result

# What the bounds need to know of Python's grammar: where comments and texts end, and brackets.
SCAN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<text>\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<word>[\w.]+)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<joined>\\\n)|(?P<end>\n)|(?P<space>\s)|.""",
    re.VERBOSE | re.DOTALL,
)


class Given(Record):
    """One answer as it stands in a sheet: its line, its text, and the value of that text."""

    name: str
    line: int
    text: str
    value: Value


class Sheet(Record):
    """A sheet that was read: its path as the user named it, and its answers in their order.

    `made_from` is its header line, None where there is none.
    """

    path: str
    answers: tuple[Given, ...]
    made_from: Header | None = None

    def answer(self, name: str) -> Given | None:
        """The answer of a name; None if the sheet has no line for it."""
        return next((given for given in self.answers if given.name == name), None)


def read_sheet(path: str, names: tuple[str, ...], shown_as: str | None = None) -> Sheet:
    """The sheet in a file, called `shown_as` (default: its path) in messages; `LabError` if it is none."""
    shown_as = shown_as or path
    return parse_sheet(sheet_text(path, shown_as), names, shown_as)


def sheet_text(path: str, shown_as: str) -> str:
    """The text of a sheet's file, which is called `shown_as` in messages; `LabError` if there is none."""
    try:
        return plain(read_typed(path, most=MAX_BYTES))
    except LabError as error:
        where = shown_as + error.where.removeprefix(path)
        got = shown_as if error.got == path else error.got
        raise LabError(where, error.rule, got, **error.values) from None


def parse_sheet(text: str, names: tuple[str, ...], path: str) -> Sheet:
    """The sheet in a text, of which only the given names may be assigned, each once.

    >>> parse_sheet("p1 = [0.5, 2**3]  # mine", ("p1",), "sheet.py").answers[0].value
    (Fraction(1, 2), Fraction(8, 1))
    """
    source = _Source(text, path)
    _check_bounds(source)
    answers: list[Given] = []
    for statement in _statements(source):
        if not isinstance(statement, ast.Assign):
            raise source.refusal(statement, "not_an_assignment")
        target, *others = statement.targets
        if others or not isinstance(target, ast.Name):
            raise source.refusal(statement, "not_an_assignment")
        if target.id not in names:
            raise source.refusal(target, "unknown_problem", choices=", ".join(names))
        if target.id in [given.name for given in answers]:
            raise source.refusal(statement, "assigned_twice")
        value = _value(statement.value, source)
        answers.append(Given(target.id, statement.lineno, source.segment(statement.value), value))
    return Sheet(path, tuple(answers))


class _Source:
    """The text of a sheet, and the errors that point into it."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.lines = text.split("\n")

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node on one line; the columns that ast gives count bytes."""
        end_line = node.end_lineno or node.lineno
        lines = [line.encode() for line in self.lines[node.lineno - 1 : end_line]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(b" ".join(lines).decode().split())

    def refusal(self, node: ast.expr | ast.stmt, rule: str, **values: object) -> LabError:
        """The error about a node, which shows the node's text."""
        return self.refusal_at(node.lineno, rule, self.segment(node), **values)

    def refusal_at(self, line: int, rule: str, got: str | None = None, **values: object) -> LabError:
        """The error about a line, which shows that line unless it is told what to show."""
        if got is None:
            got = self.lines[line - 1].strip()
        return LabError(f"{self.path}:{line}", rule, got, **values)


def _check_bounds(source: _Source) -> None:
    depth = length = 0
    line = 1
    for match in SCAN.finditer(source.text):
        kind, token = match.lastgroup, match.group()
        if "\r" in token:  # to Python this ends a line, even a comment
            raise source.refusal_at(line, "has_cr")
        if kind not in ("comment", "space", "joined", "end"):
            length += len(token)
        depth += (kind == "open") - (kind == "close")
        if depth > MAX_NESTING:
            raise source.refusal_at(line, "nested_too_deeply")
        if kind == "word" and len(token) > MAX_DIGITS and token.lstrip(".")[:1].isdigit():
            raise source.refusal_at(line, "too_many_digits", token, most=MAX_DIGITS)
        if length > MAX_STATEMENT:
            raise source.refusal_at(line, "answer_too_long", most=MAX_STATEMENT)
        if kind == "end" and depth <= 0:
            depth = length = 0
        line += token.count("\n")


def _statements(source: _Source) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of "\d" and the like: stderr is for our one line
            return ast.parse(source.text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # Answers are within bounds, so what is too deep for the parser here is an endless if-elif.
        line = getattr(error, "lineno", None) or 1
        raise source.refusal_at(min(line, len(source.lines)), "not_an_assignment") from None


def _value(node: ast.expr, source: _Source) -> Value:
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(_value(element, source) for element in node.elts)
    if isinstance(node, ast.BinOp):
        return _arithmetic(node, source)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        number = _number(node.operand, source)
        return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.Constant):
        constant = node.value
        if constant is None or constant is ... or isinstance(constant, (bool, str)):
            return constant
        if isinstance(constant, int):
            return _bounded(Fraction(constant), node, source)
        if isinstance(constant, float):
            return _decimal(node, source)
    raise source.refusal(node, "not_a_literal")


def _decimal(node: ast.Constant, source: _Source) -> Fraction:
    """The value of a literal's own digits, not of the binary float that is nearest to them."""
    text = source.segment(node).replace("_", "").lower()
    exponent = text.partition("e")[2].lstrip("+-0")
    if len(exponent) > 2 or int(exponent or 0) > MAX_DIGITS:
        raise source.refusal(node, "too_many_digits", most=MAX_DIGITS)
    return Fraction(text)


def _number(node: ast.expr, source: _Source) -> Fraction:
    value = _value(node, source)
    if not isinstance(value, Fraction):
        raise source.refusal(node, "not_a_number")
    return value


def _arithmetic(node: ast.BinOp, source: _Source) -> Fraction:
    left, right = _number(node.left, source), _number(node.right, source)
    if right == 0 and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
        raise source.refusal(node, "division_by_zero")
    if isinstance(node.op, ast.Pow):
        return _power(node, left, right, source)
    results: dict[type[ast.operator], Callable[[], Fraction]] = {
        ast.Add: lambda: left + right,
        ast.Sub: lambda: left - right,
        ast.Mult: lambda: left * right,
        ast.Div: lambda: left / right,
        ast.FloorDiv: lambda: Fraction(left // right),
        ast.Mod: lambda: left % right,
    }
    if type(node.op) not in results:
        raise source.refusal(node, "not_a_literal")
    return _bounded(results[type(node.op)](), node, source)


def _power(node: ast.BinOp, base: Fraction, exponent: Fraction, source: _Source) -> Fraction:
    if exponent.denominator != 1:
        raise source.refusal(node, "power_not_whole")
    if base == 0 and exponent < 0:
        raise source.refusal(node, "division_by_zero")
    bits = max(abs(base.numerator), base.denominator).bit_length()
    if abs(exponent) * bits > MAX_BITS:  # before the power is computed, which might never end
        raise source.refusal(node, "number_too_large", most=MAX_BITS)
    return Fraction(base**exponent.numerator)


def _bounded(number: Fraction, node: ast.expr, source: _Source) -> Fraction:
    if max(abs(number.numerator), number.denominator).bit_length() > MAX_BITS:
        raise source.refusal(node, "number_too_large", most=MAX_BITS)
    return number
