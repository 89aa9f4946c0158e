"""Reads the answers that were given beforehand: from the file that a command names, or from what Lua handed over."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio.to_thread

from mcp_host.core.interactions.given_answers import GivenAnswers, read_given_answers
from mcp_host.core.strict_json import JsonRefused, read_json
from mcp_host.host.interactions import Interactions
from mcp_host.host.regular_files import open_regular
from mcp_host.problems import Problem, ProblemError

SIZE_LIMIT: Final = 1024 * 1024
"""Bytes. It is written by hand or by a script, for one call."""


@dataclass(kw_only=True)
class Given:
    """Reads them for one call, and lets connections that are opened for it offer what they are about."""

    interactions: Interactions
    folder: Callable[[], Path]
    """From where a relative path counts: where the editor is."""

    async def read(self, given: str | Sequence[Any] | dict[str, Any] | None) -> GivenAnswers | None:
        """The answers for one call; None where none were given.

        Raises:
            ProblemError: `usage`: the file cannot be read, or something in it is no answer.
        """
        answers = await anyio.to_thread.run_sync(given_answers, given, self.folder())
        self.interactions.expect(answers)
        return answers


def given_answers(given: str | Sequence[Any] | dict[str, Any] | None, folder: Path) -> GivenAnswers | None:
    """The answers for one call; a relative path counts from the folder. None where none were given. Blocks.

    Raises:
        ProblemError: `usage`: the file cannot be read, or something in it is no answer.
    """
    if given is None:
        return None
    if not isinstance(given, str):
        return read_given_answers(given)
    path = folder / Path(given).expanduser()
    try:
        with open_regular(path) as file:
            data = file.read(SIZE_LIMIT + 1)
        if len(data) > SIZE_LIMIT:
            raise OSError(errno.EFBIG, f"it has more than {SIZE_LIMIT // 1024} KiB")
        value = read_json(data.decode("utf-8"))
    except OSError as error:
        raise ProblemError(_unreadable(given, error.strerror or type(error).__name__)) from error
    except UnicodeDecodeError as error:
        raise ProblemError(_unreadable(given, "it is not UTF-8")) from error
    except JsonRefused as error:
        raise ProblemError(_unreadable(given, f"{error.line}:{error.column}: {error.reason}")) from error
    return read_given_answers(value, place=given)


def _unreadable(path: str, why: str) -> Problem:
    return Problem(
        type="usage",
        title=f"The answers in {path} cannot be read",
        detail=f"{path}: {why}. Nothing was sent.",
        hint=':help mcp-host-answers shows such a file: {"answers": [{"content": {"name": "value"}}]}',
    )
