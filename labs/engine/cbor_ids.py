"""The token ids of a long prompt in CBOR, at the speed of the interpreter's own loops.

The bytes are those that `labs.engine.hash_chain.cbor` gives one id at a time:

    id       below 24    below 2**8    below 2**16    below 2**24
    bytes    id          18 id         19 id id       1a 00 id id id      (hexadecimal, high byte first)

Every step is one call for thousands of ids: most take a column, that is the same byte of all ids, through
a table of 256 bytes (`bytes.translate`). No line of Python runs once for every id.
Does not model: ids of 2**24 and more; no vocabulary needs them.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STEP_IDS = 4096  # at a time, so that what they take stays in the processor's cache
WIDTH = 5  # characters an id in `_cells`

# The size class of an id: 0 below 24, 1 below 2**8, 2 or 3 below 2**16, 4 to 7 from there on. It consists of
# three bits, one from each byte of the id.
HIGH_BIT = b"\0" + b"\4" * 255
MIDDLE_BIT = b"\0" + b"\2" * 255
LOW_BIT = b"\0" * 24 + b"\1" * 232
# By size class: the first byte (below 24 the id itself is all), and whether a byte is dropped.
HEADS = b"\x00\x18\x19\x19\x1a\x1a\x1a\x1a".ljust(256)
DROPPED_IN_0, DROPPED_BELOW_2, DROPPED_BELOW_4 = [(b"\1" * n).ljust(256, b"\0") for n in (1, 2, 4)]


def cbor_ids(token_ids: Sequence[int], block_size: int) -> list[bytes]:
    """The CBOR of the ids of each full block, without the array's head.

    Raises OverflowError if an id lies outside 0 to 2**24 - 1.

    >>> [block.hex(" ") for block in cbor_ids([1, 23, 24, 255, 256, 65536, 7], 2)]
    ['01 17', '18 18 18 ff', '19 01 00 1a 00 01 00 00']
    """
    if not isinstance(token_ids, (list, tuple)):
        token_ids = list(token_ids)  # `array` reads bytes and arrays as memory, not as numbers
    num_full = len(token_ids) // block_size * block_size
    step = max(1, STEP_IDS // block_size) * block_size
    width = WIDTH * block_size
    blocks = []
    for start in range(0, num_full, step):
        cells = _cells(token_ids[start : min(start + step, num_full)])
        # Latin-1 has 256 characters; "ignore" drops the others.
        blocks += [cells[i : i + width].encode("latin-1", "ignore") for i in range(0, len(cells), width)]
    return blocks


def _cells(ids: Sequence[int]) -> str:
    r"""Each id in five characters: first byte, 0, high, middle and low byte; U+01xx is one to drop.

    >>> _cells([300, 151935]).encode("latin-1", "backslashreplace")
    b'\x19\\u0100\\u0100\x01,\x1a\x00\x02Q\x7f'
    """
    words = array("I", ids)
    if array("H", [1]).tobytes() == b"\1\0":  # this machine stores the low byte first
        words.byteswap()
    data = words.tobytes()
    top, high, middle, low = data[0::4], data[1::4], data[2::4], data[3::4]
    if top.strip(b"\0"):
        raise OverflowError("an id of 2**24 or more")
    bits = int.from_bytes(high.translate(HIGH_BIT), "big")
    bits |= int.from_bytes(middle.translate(MIDDLE_BIT), "big")
    bits |= int.from_bytes(low.translate(LOW_BIT), "big")
    classes = bits.to_bytes(len(ids), "big")
    cells = bytearray(2 * WIDTH * len(ids))  # UTF-16: the byte, then 1 if the character is one to drop
    cells[0::10], cells[1::10] = classes.translate(HEADS), classes.translate(DROPPED_IN_0)
    cells[3::10] = cells[5::10] = classes.translate(DROPPED_BELOW_4)
    cells[4::10] = high
    cells[6::10], cells[7::10] = middle, classes.translate(DROPPED_BELOW_2)
    cells[8::10] = low
    return cells.decode("utf-16-le")
