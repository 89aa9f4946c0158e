"""Where a value sits inside a JSON document, written the way people write it: `$.filter.tags[2]`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

NAME_CAP: Final = 60
"""Longer member names are cut with an ellipsis: a path is for reading, and names can be as long as a server likes."""

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def path_text(steps: Iterable[str | int]) -> str:
    """The path from the root (`$`) through member names and 0-based list positions; odd names are quoted as JSON."""
    return "$" + "".join(_step_text(step) for step in steps)


def _step_text(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = step if len(step) <= NAME_CAP else step[: NAME_CAP - 1] + "…"
    return f".{name}" if _PLAIN_NAME.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]"
