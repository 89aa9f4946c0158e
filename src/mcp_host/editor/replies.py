"""How an answer becomes messages: long views and documents go in slices, so that the editor draws between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import anyio
import anyio.to_thread

from mcp_host.host.answers import Answer
from mcp_host.problems import Problem

Want = Literal["document", "text", "view"]
"""What the asker can use: the document as a value, as JSON text to print, or the view to draw."""

SLICE_BYTES: Final = 256 * 1024
"""Bytes in one slice: about two milliseconds of the editor's time to take in and put into a buffer."""

SLICE_LINES: Final = 1000
"""Lines in one slice, where lines are short."""

SLICE_PAUSE_SECONDS: Final = 0.004
"""Between two slices, so that the editor gets back to its keys and its screen before the next."""


async def send_answer(send: Callable[[Mapping[str, Any]], None], reply: int, answer: Answer, want: Want) -> None:
    """The whole answer is on its way to the editor, in order."""
    value: dict[str, Any] = {"exit": answer.exit, "kind": answer.kind}
    if want == "view":
        if answer.view is not None:
            # In a worker thread: drawing ten megabytes would hold up every other server meanwhile.
            view = await anyio.to_thread.run_sync(answer.view)
            message = view.to_message()
            await _send_slices(send, reply, "lines", _slices_of_lines(view.lines))
            value["view"] = {key: member for key, member in message.items() if key != "lines"}
            value["view"]["line_count"] = len(view.lines)
        value["host"] = answer.document.get("host")
    else:
        text = json.dumps(answer.document, ensure_ascii=want == "text")
        if want == "text" or len(text) > SLICE_BYTES:
            await _send_slices(send, reply, "text", _slices_of_text(text))
        else:
            value["document"] = answer.document
    send({"reply": reply, "value": value})


def problem_message(reply: int, problem: Problem) -> dict[str, Any]:
    """The message that ends a request with a problem."""
    return {"reply": reply, "problem": problem.model_dump(mode="json", exclude_none=True), "exit": problem.exit_code}


async def _send_slices(
    send: Callable[[Mapping[str, Any]], None], reply: int, member: str, slices: Iterator[Sequence[str] | str]
) -> None:
    for number, part in enumerate(slices):
        if number:
            await anyio.sleep(SLICE_PAUSE_SECONDS)
        send({"reply": reply, member: part})


def _slices_of_lines(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for line in lines:
        if part and (len(part) >= SLICE_LINES or size + len(line) > SLICE_BYTES):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part


def _slices_of_text(text: str) -> Iterator[str]:
    for start in range(0, len(text), SLICE_BYTES):
        yield text[start : start + SLICE_BYTES]
