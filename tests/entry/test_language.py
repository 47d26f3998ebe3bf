"""Which language is printed, with the library module `gettext` itself as the oracle.

Two catalogues, English and Chinese, are written as .mo files; `gettext` then picks one by the
environment, English if it finds none. Turned red by: another order of the variables, only the first
entry of LANGUAGE read, an empty variable taken for a setting, C skipped over, a region or an encoding
that hides the language, --lang that does not win.
"""

from __future__ import annotations

import gettext
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.view.languages import language_of

if TYPE_CHECKING:
    from tests.conftest import RunLab, RunProcess

VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
ENGLISH, CHINESE = "Predict what", "先预测"


def catalogue(key: str, text: str) -> bytes:
    """A .mo file with a header and one message."""
    pairs = [(b"", b"Content-Type: text/plain; charset=UTF-8\n"), (key.encode(), text.encode())]
    start = 28 + 16 * len(pairs)
    tables: list[bytes] = []
    strings = b""
    for column in (0, 1):
        for pair in pairs:
            tables.append(struct.pack("<II", len(pair[column]), start + len(strings)))
            strings += pair[column] + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    return header + b"".join(tables) + strings


@pytest.fixture(scope="module")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of catalogues in which the message `language` is `en` or `zh`."""
    folder = tmp_path_factory.mktemp("locales")
    for lang in ("en", "zh"):
        place = folder / lang / "LC_MESSAGES"
        place.mkdir(parents=True)
        (place / "lab.mo").write_bytes(catalogue("language", lang))
    return folder


def by_gettext(locales: Path, environment: dict[str, str]) -> str:
    """The language that gettext picks; English where it finds no catalogue."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in VARIABLES:
            patch.delenv(variable, raising=False)
        for variable, value in environment.items():
            patch.setenv(variable, value)
        found = gettext.translation("lab", str(locales), fallback=True).gettext("language")
    return "en" if found == "language" else found


ENVIRONMENTS: list[tuple[dict[str, str], str]] = [
    ({}, "en"),
    ({"LANG": "zh_CN.UTF-8"}, "zh"),
    ({"LANG": "zh_TW.Big5"}, "zh"),
    ({"LANG": "zh"}, "zh"),
    ({"LANG": "en_GB.UTF-8"}, "en"),
    ({"LANG": "de_DE.UTF-8"}, "en"),
    ({"LANG": "C.UTF-8"}, "en"),
    ({"LANG": "zh_CN@pinyin"}, "zh"),
    ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
    ({"LC_ALL": "POSIX", "LANG": "zh_CN.UTF-8"}, "en"),
    ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, "zh"),
    ({"LC_ALL": "de_DE.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
    ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
    ({"LC_ALL": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "en"),
    ({"LANGUAGE": "zh", "LC_ALL": "en_US.UTF-8"}, "zh"),
    ({"LANGUAGE": "fr:zh_CN:en", "LANG": "en_US.UTF-8"}, "zh"),
    ({"LANGUAGE": "fr:en:zh", "LANG": "zh_CN.UTF-8"}, "en"),
    ({"LANGUAGE": "fr:C:zh"}, "en"),
    ({"LANGUAGE": "fr:de", "LANG": "zh_CN.UTF-8"}, "en"),
    ({"LANGUAGE": ":zh"}, "zh"),
    ({"LANGUAGE": "", "LANG": "zh_CN.UTF-8"}, "zh"),
    ({"LANG": "ZH_CN.utf8"}, "zh"),
    ({"LANG": "zhuang"}, "en"),
    ({"LANG": "xx_zh"}, "en"),
]


@pytest.mark.parametrize(
    ("environment", "expected"), ENVIRONMENTS, ids=[str(environment) for environment, _ in ENVIRONMENTS]
)
def test_environment(run_lab: RunLab, locales: Path, environment: dict[str, str], expected: str) -> None:
    """The oracle, the rule and what is printed agree with the table."""
    assert by_gettext(locales, environment) == expected
    assert language_of(environment) == expected
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in environment.items():
            patch.setenv(variable, value)
        plain, english, chinese = (run_lab(words).out for words in ([], ["--lang", "en"], ["--lang", "zh"]))
    assert plain == {"en": english, "zh": chinese}[expected]
    assert ENGLISH in english or "predict what" in english
    assert CHINESE in chinese


LOCALE = st.sampled_from(
    [
        *("zh", "zh_CN", "zh_CN.UTF-8", "zh_TW.Big5", "zh_HK.UTF-8", "zh_CN@pinyin"),
        *("en", "en_US.UTF-8", "en_GB", "fr_FR.UTF-8", "de", "ja_JP.eucJP"),
        *("C", "POSIX", "C.UTF-8", "", "xx", "tlh_AA"),
    ]
)


@given(
    environment=st.dictionaries(
        st.sampled_from(VARIABLES), st.lists(LOCALE, min_size=1, max_size=4).map(":".join), max_size=4
    )
)
@settings(deadline=None, max_examples=300)
def test_equals_gettext(locales: Path, environment: dict[str, str]) -> None:
    """Any environment of real locale names."""
    assert language_of(environment) == by_gettext(locales, environment)


@pytest.mark.parametrize(
    ("environment", "words", "start"),
    [
        ({"LC_ALL": "C"}, [], "en"),
        ({"LC_ALL": "C.UTF-8", "LANGUAGE": "zh"}, [], "zh"),
        ({"LC_ALL": "C"}, ["--lang", "zh"], "zh"),
        ({"LANG": "zh_CN.UTF-8"}, ["--lang", "en"], "en"),
    ],
)
def test_process(run_process: RunProcess, environment: dict[str, str], words: list[str], start: str) -> None:
    """The same with a real environment."""
    ran = run_process([*words, "schedule"], environment={**environment, "PYTHONIOENCODING": "utf-8"})
    assert (ran.returncode, ran.stderr) == (0, b"")
    line = {
        "en": "Round 1: A decode 1, B decode 1, C prefill 6",
        "zh": "轮1：A decode 1，B decode 1，C prefill 6",
    }
    assert line[start] in ran.stdout.decode().splitlines()


def test_errors_follow_the_environment(run_lab: RunLab) -> None:
    """An error line before the options are read is in the language of the environment or of --lang."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LANG", "zh_CN.UTF-8")
        assert not run_lab(["schedule", "--budget", "0"]).err.isascii()
        assert run_lab(["schedule", "--budget", "0", "--lang", "en"]).err.isascii()
