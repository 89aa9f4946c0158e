"""Reads one server as an entry of some client's file, for tests."""

from __future__ import annotations

import json
from typing import Any

from mcp_host.core.importing.candidates import Candidate
from mcp_host.core.importing.clients import read_client_file

CLAUDE_CODE = "/w/.mcp.json"
CLAUDE_DESKTOP = "/h/claude_desktop_config.json"
VS_CODE = "/w/.vscode/mcp.json"
MCPHUB = "/h/.config/mcphub/servers.json"
GEMINI = "/h/.gemini/settings.json"
ZED = "/h/.config/zed/settings.json"
CODEX = "/h/.codex/config.toml"

EXPOSED = (
    "A secret stands in args, and other users of the machine can read the arguments of a process: where the server can "
    "read it from a variable, give it in env."
)
"""The note on a secret among the arguments."""


def read_server(entry: object, file: str = CLAUDE_CODE, alias: str = "notes", **around: Any) -> Candidate:
    """The candidate of the only server of a file, which stands in its first line."""
    key = {VS_CODE: "servers", ZED: "context_servers"}.get(file, "mcpServers")
    text = json.dumps({key: {alias: entry}, **around})
    (candidate,) = read_client_file(text, file, folder="/w", home="/h").candidates
    return candidate


def read_codex(text: str) -> Candidate:
    """The candidate of the only server of a Codex file, with these lines under its header."""
    text = f"[mcp_servers.notes]\n{text}"
    (candidate,) = read_client_file(text, CODEX, folder="/w", home="/h").candidates
    return candidate


def needed(candidate: Candidate) -> list[str]:
    """The variables that somebody has to set."""
    return [secret.reference for secret in candidate.secrets]
