"""What each server was told in confidence, and everything that is shown about it without that.

What was learned once is never forgotten: a result, a problem or a last word of the server may still be shown long after
its definition stopped referring to the secret in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from mcp_host.core.catalog.catalog import Catalog, Dropped, Listed, ServerIdentity, build_catalog
from mcp_host.core.redaction import Redactor
from mcp_host.problems import Problem


class _Entry(Protocol):
    @property
    def raw(self) -> Mapping[str, object]: ...


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

    def value(self, alias: str, value: Mapping[str, object]) -> Mapping[str, object]:
        """The object as anybody may see it: a server that repeats a resolved reference does not show it."""
        redactor = self._redactors.get(alias)
        return value if redactor is None else cast("dict[str, object]", redactor.value(dict(value)))

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
        alias = problem.alias
        if alias is None or alias not in self._redactors:
            return problem
        return problem.model_copy(
            update={
                "title": self.text(alias, problem.title),
                "detail": self.text(alias, problem.detail),
                "hint": self.text(alias, problem.hint),
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
