"""The demo's tools on notes: three that read, two that write, and the pair that deletes in two steps."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from mcp_host.demo.notebook import Note, Notebook, NotebookError, NoteId, Tag

Receipt = Annotated[str, Field(min_length=1, description="The receipt that the preview returned")]


class NoteRow(BaseModel):
    """A note without its text."""

    id: str
    title: str
    tags: tuple[str, ...]
    written: date


class NoteRows(BaseModel):
    """Some notes, and how many there are in all."""

    notes: list[NoteRow]
    total: int


class Period(BaseModel):
    """Days, both included; an absent end is open."""

    since: Annotated[date | None, Field(description="First day")] = None
    until: Annotated[date | None, Field(description="Last day")] = None

    def includes(self, day: date) -> bool:
        """Whether the day lies within the period."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


class NoteDeletion(BaseModel):
    """What a deletion would remove, with the receipt that carries it out."""

    deletes: Note
    receipt: str


class Deleted(BaseModel):
    """What a deletion removed."""

    deleted: Note
    remaining: int


class NoteTools:
    """The tools on one notebook; each method is a tool of the same name."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    async def note_list(
        self,
        tag: Annotated[Tag | None, Field(description="Only notes with this tag")] = None,
        order: Annotated[Literal["id", "title", "newest"], Field(description="What comes first")] = "id",
        limit: Annotated[int, Field(ge=1, le=100, description="How many at most")] = 20,
    ) -> NoteRows:
        """List the notes without their texts. Use `note_read` for a whole note."""
        notes = [note for note in self._notebook.notes.values() if tag is None or tag in note.tags]
        if order == "title":
            notes.sort(key=lambda note: note.title)
        elif order == "newest":
            notes.sort(key=lambda note: note.written, reverse=True)
        return _rows(notes, limit)

    async def note_read(self, id: NoteId) -> Annotated[CallToolResult, Note]:
        """Read one whole note."""
        try:
            note = self._notebook.read(id)
        except NotebookError as error:
            raise ToolError(str(error)) from error
        return _result(f"{note.title}\n\n{note.text}", note)

    async def note_search(
        self,
        *,
        query: Annotated[str, Field(min_length=1, max_length=100, description="Words to find, in any case")],
        field: Annotated[Literal["anywhere", "title", "text"], Field(description="Where to look")] = "anywhere",
        tags: Annotated[list[Tag], Field(max_length=5, description="Tags that a note must all have")] = [],  # noqa: B006  # the SDK reads the schema's default here and copies it
        written: Annotated[Period | None, Field(description="When the note was written")] = None,
        limit: Annotated[int, Field(ge=1, le=50, description="How many at most")] = 10,
    ) -> NoteRows:
        """Find notes that contain all the words of a query."""
        words = query.casefold().split()
        found = [
            note
            for note in self._notebook.notes.values()
            if all(word in _searched(note, field) for word in words)
            and set(tags) <= set(note.tags)
            and (written is None or written.includes(note.written))
        ]
        return _rows(found, limit)

    async def note_add(
        self,
        title: Annotated[str, Field(min_length=1, max_length=80, description="One line")],
        text: Annotated[str, Field(description="The note itself")],
        context: Context,
        tags: Annotated[list[Tag], Field(max_length=5, description="Words to find it by")] = [],  # noqa: B006  # see note_search
    ) -> Annotated[CallToolResult, Note]:
        """Add a note. It gets the next free id."""
        note = self._notebook.add(title=title, text=text, tags=tuple(tags))
        await context.notify_resources_changed()
        return _result(f"Added {note.id}: {note.title}", note)

    async def note_append(
        self,
        id: NoteId,
        text: Annotated[str, Field(min_length=1, description="The line to put at the end")],
        context: Context,
    ) -> Annotated[CallToolResult, Note]:
        """Put a line at the end of a note. Deletions that were previewed before are refused afterwards."""
        try:
            note = self._notebook.append(id, text)
        except NotebookError as error:
            raise ToolError(str(error)) from error
        await context.notify_resource_updated(f"note://{note.id}")
        return _result(f"Changed {note.id}: {note.title}", note)

    async def note_delete_preview(self, id: NoteId) -> Annotated[CallToolResult, NoteDeletion]:
        """Show which note `note_delete_execute` would delete, and return the receipt for it. Deletes nothing."""
        try:
            note, receipt = self._notebook.preview_deletion(id)
        except NotebookError as error:
            raise ToolError(str(error)) from error
        text = f"Would delete {note.id}: {note.title} ({len(note.text)} characters). Receipt: {receipt}"
        return _result(text, NoteDeletion(deletes=note, receipt=receipt))

    async def note_delete_execute(self, receipt: Receipt, context: Context) -> Annotated[CallToolResult, Deleted]:
        """Delete the note that a receipt of `note_delete_preview` was issued for. Refused if the note changed."""
        try:
            note = self._notebook.delete(receipt)
        except NotebookError as error:
            raise ToolError(str(error)) from error
        await context.notify_resources_changed()
        remaining = len(self._notebook.notes)
        return _result(f"Deleted {note.id}: {note.title}", Deleted(deleted=note, remaining=remaining))


def _searched(note: Note, field: Literal["anywhere", "title", "text"]) -> str:
    texts = {"anywhere": f"{note.title}\n{note.text}", "title": note.title, "text": note.text}
    return texts[field].casefold()


def _rows(notes: list[Note], limit: int) -> NoteRows:
    rows = [NoteRow(id=note.id, title=note.title, tags=note.tags, written=note.written) for note in notes[:limit]]
    return NoteRows(notes=rows, total=len(notes))


def _result(text: str, structured: BaseModel) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured.model_dump(mode="json")
    )
