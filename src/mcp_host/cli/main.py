"""`mcp-host`: what can be done with this host outside the editor. Today that is checking a definition file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mcp_host import __version__
from mcp_host.core.definitions.document import Document, read_document
from mcp_host.problems import EXIT_CODES, ExitCode, Problem


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and ends the process with its exit code (0 fine, 2 usage or a faulty definition)."""
    parser = argparse.ArgumentParser(prog="mcp-host", description="An MCP host that lives in Neovim.")
    parser.add_argument("--version", action="version", version=f"mcp-host {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="say what is wrong with a definition file")
    check.add_argument("file", type=Path, help="the mcp.toml to read; nothing is started and nothing is resolved")
    options = parser.parse_args(arguments)
    sys.exit(_check(options.file))


def _check(file: Path) -> ExitCode:
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return EXIT_CODES["usage"]
    document = read_document(text, str(file), layer="user")
    problems = _problems(document)
    for problem in problems:
        print(f"{problem.title}\n  {problem.detail}\n  → {problem.hint}".encode("utf-8", "replace").decode())
    sound = len(document.definitions)
    print(f"{sound} {'server is' if sound == 1 else 'servers are'} fine, {len(problems)} problems.")
    return EXIT_CODES["definition-invalid"] if problems else 0


def _problems(document: Document) -> tuple[Problem, ...]:
    return (document.unparsable,) if document.unparsable is not None else document.problems
