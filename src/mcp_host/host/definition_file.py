"""The user's definition file as it is now, and the last good reading of it while it does not parse."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mcp_host.core.definitions.document import Defined, Document, read_document
from mcp_host.problems import Problem, ProblemError


@dataclass(kw_only=True)
class DefinitionFile:
    """Reads the file again whenever it is asked: an edit counts from the next verb on, without a restart."""

    path: Path
    layer: str = "user"
    _text: str | None = field(default=None, init=False, repr=False)
    _document: Document | None = field(default=None, init=False, repr=False)
    _last_good: Document | None = field(default=None, init=False, repr=False)

    def current(self) -> Document:
        """What the file says now; `unparsable` is set on it when its definitions are the last good ones (or none)."""
        try:
            text = self.path.read_text(encoding="utf-8", errors="surrogateescape")
        except FileNotFoundError:
            text = ""
        except OSError as error:
            self._document = None
            return self._kept(Document(file=str(self.path), layer=self.layer, unparsable=_unreadable(self.path, error)))
        if self._document is None or text != self._text:
            self._text = text
            self._document = self._parse(text)
        return self._document

    def defined(self, alias: str) -> Defined:
        """The definition of one alias.

        Raises:
            ProblemError: `server-unknown`, or the definition's own problem where it has one.
        """
        document = self.current()
        found = document.definitions.get(alias)
        if found is not None:
            return found
        broken = document.broken.get(alias)
        if broken is not None:
            raise ProblemError(broken)
        if document.unparsable is not None:
            raise ProblemError(document.unparsable)
        raise ProblemError(_unknown(alias, tuple(document.definitions), self.path))

    def _parse(self, text: str) -> Document:
        document = read_document(text, str(self.path), layer=self.layer)
        if document.unparsable is None:
            self._last_good = document
            return document
        return self._kept(document)

    def _kept(self, document: Document) -> Document:
        """The document, which has no definitions of its own, with the last good ones."""
        if self._last_good is None:
            return document
        return Document(
            file=document.file,
            layer=document.layer,
            definitions=self._last_good.definitions,
            problems=document.problems,
            broken=self._last_good.broken,
            unparsable=_in_force(document.unparsable),
        )


def _in_force(problem: Problem | None) -> Problem | None:
    """The problem with the good news in it: what was read last goes on serving."""
    if problem is None:
        return None
    return problem.model_copy(update={"detail": f"{problem.detail}\nThe last good definitions stay in force."})


def _unreadable(path: Path, error: OSError) -> Problem:
    return Problem(
        type="definition-unparsable",
        title="The definition file cannot be read",
        detail=f"{path}: {error.strerror}",
        hint="Check the file's permissions; what it said last stays in force.",
    )


def _unknown(alias: str, known: tuple[str, ...], path: Path) -> Problem:
    listed = f"Known: {', '.join(known)}." if known else "No server is defined there."
    return Problem(
        type="server-unknown",
        title=f"There is no server named {alias}",
        detail=f"{path} does not define it. {listed}",
        hint=f'Add it there: [servers.{alias}] with command = "…" or url = "…".',
        alias=alias,
    )
