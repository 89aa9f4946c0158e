"""Says in words why a server's process could not be started.

Names the command, the folder and the PATH that was searched, never an argument or another variable: those may hold
resolved references.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from mcp_host.problems import Problem, ProblemError
from mcp_host.protocol.transports.executables import searched_path


def spawn_problem(
    error: OSError | ValueError, alias: str, command: str, *, cwd: str | None, env: Mapping[str, str]
) -> ProblemError:
    """The `server-unavailable` problem for an error of the operating system, or of Python before it got there."""
    detail, hint = _reason(error, command, cwd=cwd, env=env)
    problem = Problem(
        type="server-unavailable",
        title=f"Server '{alias}' could not be started.",
        detail=detail,
        hint=hint,
        alias=alias,
        retryable=isinstance(error, BlockingIOError),
    )
    return ProblemError(problem)


def _reason(error: OSError | ValueError, command: str, *, cwd: str | None, env: Mapping[str, str]) -> tuple[str, str]:
    if not isinstance(error, OSError):
        # The error's own text may quote the value.
        return (
            f"The command '{command}', an argument or a variable holds a character that no process can be given.",
            "Look for a NUL character, or a '=' in the name of a variable, in its definition.",
        )
    if cwd is not None and error.filename == cwd and not _can_enter(cwd):
        return (
            f"Its folder (cwd) '{cwd}' cannot be entered: {error.strerror}.",
            "Create the folder or correct `cwd` in its definition.",
        )
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _not_found(command, env=env)
    if isinstance(error, PermissionError):
        return (
            f"The command '{command}' may not be executed: {error.strerror}.{_searched(command, env)}",
            "Make the file executable (chmod +x), or name another command.",
        )
    return (
        f"The command '{command}' could not be run: {error.strerror or type(error).__name__}.",
        "Run the command in a terminal to see what it needs.",
    )


def _not_found(command: str, *, env: Mapping[str, str]) -> tuple[str, str]:
    if "/" not in command:
        return (
            f"The command '{command}' was not found.{_searched(command, env)}",
            f"Install '{command}', write its full path, or set PATH in the definition's `env`.",
        )
    if not os.path.isabs(command):
        return (
            f"The command '{command}' is a relative path, which would run whatever the editor's folder holds.",
            "Write its full path as `command` in its definition.",
        )
    if os.path.exists(command):
        return (
            f"The command '{command}' is there, but the interpreter that its first line names is not.",
            "Correct the first line (#!) of that file, or install the interpreter.",
        )
    return (f"The command '{command}' does not exist.", "Correct `command` in its definition.")


def _searched(command: str, env: Mapping[str, str]) -> str:
    if "/" in command:
        return ""
    searched = searched_path(env)
    left_out = searched != env.get("PATH", searched)
    words = " (its entries that are no absolute paths are left out)" if left_out else ""
    return f"\nPATH searched{words}: {searched or 'nothing'}"


def _can_enter(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)
