"""Keys: mask them, because no view, file, error or message may show one.

The known keys are those of every ChatModel that was made, and those in the environment (LLM_API_KEY
and other names that end in _API_KEY).

>>> remember("a-key-of-an-endpoint")
>>> masked("Authorization: Bearer a-key-of-an-endpoint")
'Authorization: Bearer ***'
"""

import json
import os
from urllib.parse import quote

SHORTEST = 8  # letters; a shorter word ("none", "ollama") is not a secret

_known: set[str] = set()


def remember(key: str | None) -> None:
    """Mask this key from now on."""
    if key and len(key) >= SHORTEST:
        _known.add(key)


def secrets() -> tuple[str, ...]:
    """Return every known key in all its forms, the longest first: it may contain a shorter one.

    The forms are the key itself, as in JSON, and as in a URL.
    """
    named = (os.environ[name].strip() for name in os.environ if name.upper().endswith("_API_KEY"))
    found = {*_known, *(key for key in named if len(key) >= SHORTEST)}
    forms = {form for key in found for form in (key, json.dumps(key)[1:-1], quote(key, safe=""))}
    return tuple(sorted(forms, key=len, reverse=True))


def masked(text: str, keys: tuple[str, ...] | None = None) -> str:
    """Return a text with every known key masked, also in its JSON or URL form.

    Args:
        text: any text.
        keys: what `secrets()` returned, for a caller with many texts: the environment is slow to
            search. None searches it.
    """
    for key in secrets() if keys is None else keys:
        text = text.replace(key, "***")
    return text
