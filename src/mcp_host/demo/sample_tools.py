"""The demo's other tools, one for each kind of answer: slow, a picture, structured, after a question, a fault."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import CallToolResult, ImageContent, TextContent
from pydantic import BaseModel, Field

from mcp_host.demo.notebook import Note, Notebook
from mcp_host.demo.picture import Colour, gradient_png

Wait = Callable[[float], Awaitable[None]]
"""Waits that many seconds."""


class Longest(BaseModel):
    """The note with the most words."""

    id: str
    words: int


class Statistics(BaseModel):
    """The notebook in numbers."""

    notes: Annotated[int, Field(ge=0)]
    words: Annotated[int, Field(ge=0, description="Words in all texts together")]
    tags: Annotated[dict[str, int], Field(description="How many notes have each tag")]
    longest: Annotated[Longest | None, Field(description="null when there is no note")]


class Introduction(BaseModel):
    """The form that `ask_name` asks the person to fill in."""

    name: Annotated[str, Field(title="Name", description="What to call you", min_length=1, max_length=40)]
    tone: Annotated[Literal["plain", "cheerful"], Field(title="Tone", description="How to greet you")] = "plain"


def ask_for_introduction() -> Elicit[Introduction]:
    """Ask for the form; the SDK carries the question in whichever way the connection's era does."""
    return Elicit("Who is there?", Introduction)


class SampleTools:
    """The tools that need no particular note; each method is a tool of the same name."""

    def __init__(self, notebook: Notebook, wait: Wait) -> None:
        self._notebook = notebook
        self._wait = wait

    async def count_slowly(
        self,
        context: Context,
        to: Annotated[int, Field(ge=1, le=1000, description="The last number")] = 5,
        pause_seconds: Annotated[float, Field(ge=0, le=10, description="Wait before each number")] = 0.5,
    ) -> str:
        """Count up to a number, with a progress notification for each step. Stops when it is cancelled."""
        for number in range(1, to + 1):
            await self._wait(pause_seconds)
            await context.report_progress(number, to, f"Counted {number} of {to}")
        return f"Counted to {to}."

    async def picture(
        self,
        width: Annotated[int, Field(ge=1, le=512, description="Pixels")] = 64,
        height: Annotated[int, Field(ge=1, le=512, description="Pixels")] = 32,
        colour: Annotated[Colour, Field(description="Colour at the right edge")] = "blue",
    ) -> CallToolResult:
        """Draw a small picture, a gradient from black to a colour."""
        data = base64.b64encode(gradient_png(width, height, colour)).decode()
        caption = f"A gradient from black to {colour}, {width} by {height} pixels."
        return CallToolResult(
            content=[
                TextContent(type="text", text=caption),
                ImageContent(type="image", data=data, mime_type="image/png"),
            ]
        )

    async def statistics(self) -> Statistics:
        """Count the notes, their words and their tags."""
        notes = list(self._notebook.notes.values())
        tags: dict[str, int] = {}
        for tag in sorted(tag for note in notes for tag in note.tags):
            tags[tag] = tags.get(tag, 0) + 1
        longest = max(notes, key=_word_count, default=None)
        return Statistics(
            notes=len(notes),
            words=sum(map(_word_count, notes)),
            tags=tags,
            longest=None if longest is None else Longest(id=longest.id, words=_word_count(longest)),
        )

    async def ask_name(
        self, introduction: Annotated[ElicitationResult[Introduction], Resolve(ask_for_introduction)]
    ) -> str:
        """Ask the person for a name with a form, and greet them."""
        if not isinstance(introduction, AcceptedElicitation):
            return "Nobody was introduced."
        name = introduction.data.name
        return f"Hello {name}!" if introduction.data.tone == "cheerful" else f"Hello, {name}."

    async def fail(
        self, message: Annotated[str, Field(description="What the fault says")] = "This tool always fails."
    ) -> CallToolResult:
        """Answer with a fault, to see what one looks like."""
        return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


def _word_count(note: Note) -> int:
    return len(note.text.split())
