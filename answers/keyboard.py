"""What Chinese keyboards and editors put into a sheet in place of signs and digits of Python."""

from __future__ import annotations

SIGNS = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u3001": ","})


def plain(text: str) -> str:
    r"""A sheet's text with signs and digits as Python writes them; comments stay as they are.

    >>> plain("p1 = \uff3b\uff11\u3001\uff12\uff3d # mine")
    'p1 = [1,2] # mine'
    """
    if text.isascii():
        return text
    from unicodedata import normalize

    lines = text.split("\n")
    code = [not line.lstrip().startswith("#") for line in lines]
    return "\n".join(
        [normalize("NFKC", line).translate(SIGNS) if is_code else line for line, is_code in zip(lines, code)]
    )
