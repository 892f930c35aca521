"""The texts of the page in its languages, from the gettext catalogues."""

from __future__ import annotations

import json
from functools import lru_cache
from gettext import NullTranslations
from pathlib import Path
from typing import Any, Final

from babel.support import Translations

LANGUAGES: Final = {"en": "English", "pl": "Polski", "it": "Italiano"}
FOLDER: Final = Path(__file__).parent / "translations"


@lru_cache(maxsize=len(LANGUAGES))
def translations(language: str) -> NullTranslations:
    """The catalogue of a language for ``gettext``; without one, the texts stay English."""
    return Translations.load(str(FOLDER), [language])


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> dict[str, str | list[str]]:
    """Texts of a language by their English text; a list of plural forms if they depend on a number."""
    texts: dict[str, str | list[str]] = {}
    messages: dict[Any, Any] = getattr(translations(language), "_catalog", {})
    for key, text in messages.items():
        if isinstance(key, tuple):
            forms = texts.setdefault(key[0], [])
            if isinstance(forms, list):
                forms.extend([""] * (key[1] + 1 - len(forms)))
                forms[key[1]] = text
        elif key:
            texts[key] = text
    return texts


@lru_cache(maxsize=3 * len(LANGUAGES))
def part(language: str, name: str, script: str) -> dict[str, str | list[str]]:
    """The texts that occur in ``script`` if ``name`` is ``"main"``, or all others if it is ``"later"``."""
    used = {key for key in catalogue(language) if json.dumps(key, ensure_ascii=False) in script}
    return {key: text for key, text in catalogue(language).items() if (key in used) == (name == "main")}
