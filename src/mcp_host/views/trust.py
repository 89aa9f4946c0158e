"""The trust buffer: everything a stranger to the project must see before its definitions may run anything here.

Nothing in it is cut, and nothing out of the file can pass for a line of ours: values are quoted, stand behind an indent
and go on behind a mark (`exact.py`). Above the servers stands what must not be missed about any of them, so that no
long server can push it out of sight.
"""

from __future__ import annotations

from typing import Final, cast

from mcp_host.core.rendering.text import encodable, encodable_text
from mcp_host.views.cautions import all_cautions
from mcp_host.views.exact import add_exact, line_pieces, word_pieces
from mcp_host.views.trust_facts import TrustFacts, TrustServer, TrustState
from mcp_host.views.trust_server import add_caution, add_fault, add_reach, add_server
from mcp_host.views.view import Group, Page, Span, Target, View

__all__ = ["TrustFacts", "TrustServer", "TrustState", "trust_document", "trust_view"]

_KEYS: Final[dict[TrustState, tuple[str, ...]]] = {
    "untrusted": (
        ":write says yes: its servers may run here, as shown · :quit leaves it as it is",
        "It came with the project. Nothing of it has run, connected or been looked up.",
        "A yes lets it start programs as you, with your files, and connect as shown.",
    ),
    "changed": (
        ":write says yes to the text as it is now · :quit leaves it as it is",
        "Your last yes was to another text. Nothing of this one has run or connected.",
    ),
    "ignored": (
        ":write says yes: its servers may run here, as shown · :quit leaves it as it is",
        "You took your yes back with :McpUntrust, or never gave it. Nothing in it counts.",
    ),
    "trusted": ("You said yes to exactly this text. :McpUntrust takes it back.",),
    "absent": ("There is no such file: nothing waits for a yes.",),
}

_SPOKEN_STATES: Final[dict[TrustState, str]] = {
    "untrusted": "new, waits for your yes",
    "changed": "changed, waits for your yes",
    "ignored": "ignored, as you said",
    "trusted": "trusted",
    "absent": "no file",
}

_UNREADABLE: Final = ("Its servers cannot be read, so there is nothing to say yes to.",)

_COLUMN: Final = 14

_SIGNS: Final[dict[str, Group]] = {"+": "McpAdded", "-": "McpRemoved"}


def trust_document(facts: TrustFacts) -> dict[str, object]:
    """The file and what a yes would let it do, for scripts: `{"trust": {…}}`."""
    return {
        "trust": {
            "file": encodable_text(facts.file),
            "realPath": None if facts.real_path is None else encodable_text(facts.real_path),
            "digest": facts.digest,
            "state": facts.state,
            "approvedAt": facts.approved_at,
            "servers": [_server_document(server) for server in facts.servers],
            "changes": [encodable_text(line) for line in facts.changes],
            "problems": [problem.model_dump(mode="json", exclude_none=True) for problem in facts.problems],
        }
    }


def trust_view(facts: TrustFacts) -> View:
    """The `mcp://trust` buffer."""
    page = Page()
    page.line(("Trust", "McpTitle"), " · ", (_SPOKEN_STATES[facts.state], "McpKey"))
    is_readable = all(problem.type != "definition-unparsable" for problem in facts.problems)
    for line in _KEYS[facts.state] if is_readable else _UNREADABLE:
        page.line((line, "McpMuted"))
    page.blank()
    _add_file(page, facts)
    for problem in facts.problems:
        add_fault(page, problem, indent="  ")
    _add_attention(page, facts)
    _add_changes(page, facts)
    if not facts.servers and is_readable and facts.state != "absent":
        page.blank()
        page.line(("It defines no server.", "McpMuted"))
    for server in facts.servers:
        add_server(page, server)
    return page.view(filetype="mcp-trust", title=f"trust · {facts.file}")


def _add_file(page: Page, facts: TrustFacts) -> None:
    for key, path in (("File", facts.file), ("Really", facts.real_path)):
        if path is not None:
            lead: tuple[Span, ...] = ("  ", (key, "McpKey"), " " * (_COLUMN - 2 - len(key)))
            target = Target(kind="path", alias="", name=path)
            add_exact(page, word_pieces(path), lead=lead, column=_COLUMN, group="McpTool", target=target)
    if facts.real_path is not None:
        page.problem("a symbolic link leads to another file, whose text is shown here", indent="  ")
    if facts.approved_at is not None:
        page.field("Last yes", facts.approved_at)
    if facts.state != "absent":
        page.field("Digest", (facts.digest, "McpMuted"))


def _add_attention(page: Page, facts: TrustFacts) -> None:
    """Add every caution about every server."""
    found = [(server, of_server) for server in facts.servers if (of_server := all_cautions(server))]
    if found:
        page.heading(f"Look at this first ({sum(len(of_server) for _, of_server in found)})")
    for server, of_server in found:
        add_reach(page, server, indent="  ")
        for caution in of_server:
            add_caution(page, caution, indent="    ")


def _add_changes(page: Page, facts: TrustFacts) -> None:
    if facts.state == "changed" and not facts.changes:
        page.heading("Changed since your last yes", (" (the text of then is not known any more)", "McpMuted"))
    if not facts.changes:
        return
    added, removed = (sum(line.startswith(sign) for line in facts.changes) for sign in "+-")
    page.heading("Changed since your last yes", (f" ({added} added, {removed} removed)", "McpMuted"))
    near = {row + by for row, line in enumerate(facts.changes) if line[:1] in _SIGNS for by in range(-3, 4)}
    left_out = 0
    for row, line in enumerate((*facts.changes, "")):
        if left_out and (row in near or row == len(facts.changes)):
            page.line("    ", (f"… {left_out} unchanged {'line' if left_out == 1 else 'lines'}", "McpMuted"))
            left_out = 0
        if row in near and row < len(facts.changes):
            add_exact(page, line_pieces(line), lead=("  ",), column=4, group=_SIGNS.get(line[:1], "McpMuted"))
        else:
            left_out += 1


def _server_document(server: TrustServer) -> dict[str, object]:
    document: dict[str, object] = {
        "alias": server.alias,
        "target": server.target,
        "fields": dict(server.fields),
        "inherited": [{"field": name, "value": value, "place": place} for name, value, place in server.inherited],
        "hides": [
            {"layer": one.layer, "file": one.file, "line": one.line, "fields": list(one.fields)} for one in server.hides
        ],
        "cautions": list(all_cautions(server)),
    }
    if server.problem is not None:
        document["problem"] = server.problem.model_dump(mode="json", exclude_none=True)
    return cast("dict[str, object]", encodable(document))
