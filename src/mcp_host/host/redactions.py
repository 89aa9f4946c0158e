"""What each server was told in confidence, and everything that is shown about it without that.

What was learned once is never forgotten: a result, a problem or a last word of the server may still be shown long after
its definition stopped referring to the secret in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from mcp_host.core.catalog.catalog import Catalog, Dropped, Listed, ServerIdentity, build_catalog
from mcp_host.core.redaction import Redactor
from mcp_host.problems import Problem


class _Entry(Protocol):
    @property
    def raw(self) -> Mapping[str, object]: ...


TITLE_LIMIT: Final = 500
"""Characters of a problem's title and of its hint: a tool's name stands in them, and names can be long."""

DETAIL_LIMIT: Final = 4_000
"""Characters of a problem's detail: a screen of it is read, and some servers answer with a page of HTML."""

_TEXTS: Final = ("text/", "application/json")
_OF_THE_SERVER: Final = frozenset(
    {"message", "problem", "tool", "tools", "resources", "prompts", "name", "text", "logger", "uri"}
)
"""The members of events that hold a server's words."""


@dataclass(kw_only=True)
class Redactions:
    """The resolved references of every server of this editor. Its repr holds none of them."""

    _secrets: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]], init=False, repr=False)
    _redactors: dict[str, Redactor] = field(default_factory=dict[str, Redactor], init=False, repr=False)
    _catalogs: dict[str, tuple[Catalog, Catalog]] = field(
        default_factory=dict[str, tuple[Catalog, Catalog]], init=False, repr=False
    )
    """The last catalog of each server and what is shown of it: ten thousand tools take a second to look through."""

    def learn(self, alias: str, secrets: frozenset[str]) -> None:
        """From now on nothing that is shown about the server holds one of these values."""
        known = self._secrets.get(alias, frozenset())
        if secrets <= known:
            return
        self._secrets[alias] = known | secrets
        self._redactors[alias] = Redactor(self._secrets[alias])
        self._catalogs.pop(alias, None)

    def text(self, alias: str, text: str) -> str:
        """The text as anybody may see it."""
        redactor = self._redactors.get(alias)
        return text if redactor is None else redactor.text(text)

    def texts(self, alias: str, texts: Iterable[str]) -> tuple[str, ...]:
        """Several texts as anybody may see them."""
        return tuple(self.text(alias, text) for text in texts)

    def value(self, alias: str, value: Mapping[str, object]) -> Mapping[str, object]:
        """The object as anybody may see it: a server that repeats a resolved reference does not show it.

        The names of its own members stay: they are the specification's, and without them nobody could read it.
        """
        redactor = self._redactors.get(alias)
        return value if redactor is None else {name: redactor.value(member) for name, member in value.items()}

    def file(self, alias: str, mime: str | None, data: bytes) -> bytes:
        """The content of a file that a result leaves behind; what is text is redacted as text."""
        redactor = self._redactors.get(alias)
        if redactor is None or mime is None or not mime.startswith(_TEXTS):
            return data
        return redactor.text(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def event(self, data: Mapping[str, object]) -> Mapping[str, object]:
        """An event as anybody may see it. Aliases, states and numbers are the host's own and stay."""
        redactor = self._redactors.get(str(data.get("alias", "")))
        if redactor is None:
            return data
        return {name: redactor.value(member) if name in _OF_THE_SERVER else member for name, member in data.items()}

    def catalog(self, catalog: Catalog) -> Catalog:
        """The catalog as anybody may see it. What is called and compared is the one that it was made of."""
        alias = catalog.alias
        if alias not in self._redactors:
            return catalog
        known = self._catalogs.get(alias)
        if known is None or known[0] is not catalog:
            known = self._catalogs[alias] = catalog, self._shown(catalog)
        return known[1]

    def problem(self, problem: Problem) -> Problem:
        """The problem as anybody may see it: its detail may be the server's own words."""
        alias = problem.alias or ""
        # Cut after redacting: half a secret at the cut would not be found.
        return problem.model_copy(
            update={
                "title": _cut(self.text(alias, problem.title), TITLE_LIMIT),
                "detail": _cut(self.text(alias, problem.detail), DETAIL_LIMIT),
                "hint": _cut(self.text(alias, problem.hint), TITLE_LIMIT),
                "tool": None if problem.tool is None else self.text(alias, problem.tool),
                "causes": tuple(self.problem(cause) for cause in problem.causes),
            }
        )

    def _shown(self, catalog: Catalog) -> Catalog:
        alias = catalog.alias

        def raw(entries: Iterable[_Entry]) -> tuple[object, ...]:
            return tuple(self.value(alias, entry.raw) for entry in entries)

        listed = Listed(
            tools=raw(catalog.tools),
            resources=raw(catalog.resources),
            templates=raw(catalog.templates),
            prompts=raw(catalog.prompts),
        )
        warnings = tuple(self.text(alias, warning) for warning in catalog.warnings)
        shown = build_catalog(
            alias, catalog.generation, self._identity(alias, catalog.identity), listed, warnings=warnings
        )
        dropped = (
            Dropped(kind=one.kind, label=self.text(alias, one.label), reason=self.text(alias, one.reason))
            for one in catalog.dropped
        )
        return replace(shown, dropped=(*dropped, *shown.dropped))

    def _identity(self, alias: str, identity: ServerIdentity) -> ServerIdentity:
        def text(words: str | None) -> str | None:
            return None if words is None else self.text(alias, words)

        return replace(
            identity,
            name=text(identity.name),
            title=text(identity.title),
            version=text(identity.version),
            description=text(identity.description),
            instructions=text(identity.instructions),
        )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit} characters more)"
