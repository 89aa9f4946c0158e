"""Puts the demo together: one `MCPServer` with the tools, resources and the prompt over one notebook."""

from __future__ import annotations

from typing import Annotated

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.mcpserver.resources import FunctionResource
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    Completion,
    CompletionArgument,
    CompletionContext,
    EmbeddedResource,
    PromptReference,
    Resource,
    ResourceTemplateReference,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import Field

from mcp_host import __version__
from mcp_host.demo.note_tools import NoteTools
from mcp_host.demo.notebook import Note, Notebook, NotebookError, NoteId
from mcp_host.demo.sample_tools import SampleTools, Wait

ABOUT = """The notes of this server live in memory: they are the same four at every start.

Deleting takes two steps: note_delete_preview shows the note and returns a receipt, note_delete_execute
needs that receipt and refuses when the note changed in between.
"""

INSTRUCTIONS = (
    "A few notes to try a client with. Find a note with note_list or note_search before reading or deleting it."
)

STYLES = ("three short points", "one sentence", "a question")
"""What the prompt's `style` is completed with."""

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)


class DemoServer(MCPServer):
    """The SDK's server, whose list of resources follows the notebook."""

    def __init__(self, notebook: Notebook) -> None:
        super().__init__(
            name="mcp-host-demo",
            title="Demo notebook",
            description="Notes in memory, to try an MCP client with",
            instructions=INSTRUCTIONS,
            version=__version__,
            log_level="WARNING",
        )
        self._notebook = notebook

    async def list_resources(self) -> list[Resource]:
        """Return the fixed resources and one for each note there is now (read through the template)."""
        return [*await super().list_resources(), *map(_resource, self._notebook.notes.values())]


def build_server(*, wait: Wait = anyio.sleep) -> MCPServer:
    """Return a server over a new notebook with the seed notes, ready to be run or connected to."""
    notebook = Notebook()
    server = DemoServer(notebook)
    _add_tools(server, notebook, wait)
    _add_resources(server, notebook)
    _add_prompts(server, notebook)
    _add_completion(server, notebook)
    return server


def _add_tools(server: MCPServer, notebook: Notebook, wait: Wait) -> None:
    notes = NoteTools(notebook)
    samples = SampleTools(notebook, wait)
    server.add_tool(notes.note_list, title="List notes", annotations=_READS)
    server.add_tool(notes.note_read, title="Read a note", annotations=_READS)
    server.add_tool(notes.note_search, title="Search notes", annotations=_READS)
    server.add_tool(notes.note_add, title="Add a note", annotations=_WRITES)
    server.add_tool(notes.note_append, title="Append to a note", annotations=_WRITES)
    server.add_tool(notes.note_delete_preview, title="Preview a deletion", annotations=_READS)
    server.add_tool(notes.note_delete_execute, title="Delete a note", annotations=_DELETES)
    server.add_tool(samples.count_slowly, title="Count slowly", annotations=_READS)
    server.add_tool(samples.picture, title="Draw a picture", annotations=_READS)
    server.add_tool(samples.statistics, title="Statistics", annotations=_READS)
    server.add_tool(samples.ask_name, title="Ask for a name", annotations=_READS)
    server.add_tool(samples.fail, title="Fail", annotations=_READS)


def _add_resources(server: MCPServer, notebook: Notebook) -> None:
    async def about() -> str:
        return ABOUT

    async def note(id: str) -> str:
        try:
            return _as_markdown(notebook.read(id))
        except NotebookError as error:
            raise ResourceNotFoundError(str(error)) from error

    server.add_resource(
        FunctionResource.from_function(
            fn=about,
            uri="demo://about",
            name="about",
            title="About this server",
            description="What the demo server keeps and how deleting works",
            mime_type="text/plain",
        )
    )
    template = server.resource(
        "note://{id}", name="note", title="A note", description="One note by its id", mime_type="text/markdown"
    )
    template(note)


def _add_prompts(server: MCPServer, notebook: Notebook) -> None:
    async def summarize_note(
        id: NoteId,
        style: Annotated[str, Field(description="How to write it, such as `one sentence`")] = STYLES[0],
    ) -> list[UserMessage]:
        try:
            note = notebook.read(id)
        except NotebookError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
        body = TextResourceContents(uri=f"note://{note.id}", text=_as_markdown(note), mime_type="text/markdown")
        return [
            UserMessage(f"Summarize the note {note.id}, {note.title!r}, as {style}."),
            UserMessage(EmbeddedResource(type="resource", resource=body)),
        ]

    server.add_prompt(
        Prompt.from_function(summarize_note, title="Summarize a note", description="Ask for a summary of one note")
    )


def _add_completion(server: MCPServer, notebook: Notebook) -> None:
    async def complete(
        _reference: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        _context: CompletionContext | None,
    ) -> Completion | None:
        words = {"id": list(notebook.notes), "style": list(STYLES)}.get(argument.name, [])
        fitting = [word for word in words if word.startswith(argument.value)]
        return Completion(values=fitting, total=len(fitting), has_more=False)

    server.completion()(complete)


def _resource(note: Note) -> Resource:
    return Resource(
        uri=f"note://{note.id}",
        name=note.id,
        title=note.title,
        description=f"Written {note.written.isoformat()}",
        mime_type="text/markdown",
    )


def _as_markdown(note: Note) -> str:
    return f"# {note.title}\n\n{note.text}\n"
