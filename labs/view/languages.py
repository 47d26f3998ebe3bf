"""Which language to print in, and picking its texts from a catalogue of pairs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES = ("en", "zh")


def language_of(environment: Mapping[str, str]) -> str:
    """The language that the environment asks for, by the rule of the library module `gettext`.

    The first of LANGUAGE, LC_ALL, LC_MESSAGES and LANG that is set counts, and holds a list of
    locales parted by colons. The first supported one wins; C, unset or unknown means English.

    >>> language_of({"LANGUAGE": "fr:zh_CN.UTF-8"}), language_of({"LC_ALL": "C", "LANG": "zh_CN"})
    ('zh', 'en')
    """
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            for locale in environment[variable].split(":"):
                language = locale.split(".")[0].split("@")[0].split("_")[0].lower()
                if language in LANGUAGES:
                    return language
                if language in ("c", "posix"):
                    return "en"
            return "en"
    return "en"


def texts(catalogue: Mapping[str, tuple[str, str]], lang: str) -> dict[str, str]:
    """The texts of one language; a catalogue holds (English, Chinese) under each key."""
    index = LANGUAGES.index(lang)
    return {key: pair[index] for key, pair in catalogue.items()}
