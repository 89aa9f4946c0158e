"""The demo's notes: kept in memory, always the same at the start, changed only through `Notebook`.

Nothing here is random or reads a clock, so that a transcript of the demo is the same on every machine: ids count up,
everything written in a session is dated `TODAY`, and a deletion receipt is a digest of the note it was issued for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

TODAY = date(2026, 8, 1)
"""The date of everything that is written while the demo runs."""

NoteId = Annotated[
    str, Field(pattern="^note-[0-9]+$", description="Id of a note, as `note_list` shows it", examples=["note-1"])
]
Tag = Annotated[str, Field(pattern="^[a-z]+$", max_length=20)]


class Note(BaseModel):
    """One note, whole."""

    model_config = ConfigDict(frozen=True)

    id: NoteId
    title: Annotated[str, Field(min_length=1, max_length=80)]
    text: str
    tags: tuple[Tag, ...] = ()
    written: date


SEED = (
    Note(
        id="note-1",
        title="Shopping",
        text="Rye bread, two lemons, and coffee for the weekend.",
        tags=("home",),
        written=date(2026, 3, 14),
    ),
    Note(
        id="note-2",
        title="Release checklist",
        text="1. Read the changelog aloud.\n2. Run the slow tests.\n3. Tag, push, and tell the others.",
        tags=("work", "lists"),
        written=date(2026, 5, 2),
    ),
    Note(
        id="note-3",
        title="Birds at the lake",
        text="A grey heron, nine coots, and one very cross swan. Grüße from Zoë.",
        tags=("outdoors",),
        written=date(2026, 6, 21),
    ),
    Note(
        id="note-4",
        title="Questions for the review",
        text="Who owns the nightly job? Can the cache be smaller? Is the old port still open?",
        tags=("work",),
        written=date(2026, 7, 9),
    ),
)


class NotebookError(Exception):
    """A refusal that is meant for the caller; its text says what to do."""


@dataclass(kw_only=True)
class Notebook:
    """The notes of one running server, with the receipts it issued for deletions."""

    notes: dict[str, Note] = field(default_factory=lambda: {note.id: note for note in SEED})
    _last_number: int = len(SEED)
    _issued: dict[str, Note] = field(default_factory=dict[str, Note])
    """What each receipt's preview showed: a deletion is refused when the note is no longer exactly this."""
    _used: set[str] = field(default_factory=set[str])

    def read(self, note_id: str) -> Note:
        """Return the note of this id.

        Raises:
            NotebookError: There is none.
        """
        try:
            return self.notes[note_id]
        except KeyError:
            known = ", ".join(self.notes) or "none"
            raise NotebookError(f"There is no note {note_id}. Notes: {known}.") from None

    def add(self, *, title: str, text: str, tags: tuple[str, ...]) -> Note:
        """Keep a new note under the next free id; an id is never used twice."""
        self._last_number += 1
        note = Note(id=f"note-{self._last_number}", title=title, text=text, tags=tags, written=TODAY)
        self.notes[note.id] = note
        return note

    def append(self, note_id: str, text: str) -> Note:
        """Put a line at the end of a note.

        Raises:
            NotebookError: There is no such note.
        """
        note = self.read(note_id)
        changed = note.model_copy(update={"text": f"{note.text}\n{text}", "written": TODAY})
        self.notes[note_id] = changed
        return changed

    def preview_deletion(self, note_id: str) -> tuple[Note, str]:
        """Return the note that would be deleted and the receipt that deletes exactly this; deletes nothing.

        Raises:
            NotebookError: There is no such note.
        """
        note = self.read(note_id)
        receipt = f"delete-{note.id}-{hashlib.sha256(note.model_dump_json().encode()).hexdigest()[:16]}"
        self._issued[receipt] = note
        return note, receipt

    def delete(self, receipt: str) -> Note:
        """Delete the note that the receipt was issued for, once.

        Raises:
            NotebookError: The receipt is unknown or was used, or the note changed since it was shown.
        """
        if receipt in self._used:
            raise NotebookError("This receipt was used already: the note is deleted. Nothing was done.")
        shown = self._issued.get(receipt)
        if shown is None:
            raise NotebookError("This receipt is unknown here. Call note_delete_preview to get one.")
        if self.notes.get(shown.id) != shown:
            raise NotebookError(
                f"{shown.id} changed since the preview. Nothing was deleted; call note_delete_preview again."
            )
        del self.notes[shown.id]
        self._used.add(receipt)
        return shown
