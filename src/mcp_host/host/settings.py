"""Where this host's files are and how it was started: what the editor says once, at the start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from mcp_host.core.offers import LogLevel


class RootsMessage(BaseModel):
    """What the person set about roots."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folders: tuple[str, ...] | None = None
    """Absolute paths; None: the folder of the workspace."""
    modern: bool = False
    """Offered to servers of 2026-07-28 too, where roots are deprecated."""


class StartMessage(BaseModel):
    """The editor's first message, as it crosses from Lua."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config_file: str
    """The user's `mcp.toml`; it need not exist."""
    state_dir: str
    log_dir: str
    cwd: str
    headless: bool = False
    sampling: bool = False
    """Somebody configured who answers a server's request for a completion."""
    roots: RootsMessage | Literal[False] = RootsMessage()
    log_level: LogLevel | Literal[False] = "info"
    """From which level on servers are asked to send their log messages."""
    questions_seen: int = Field(default=0, ge=0)
    """The highest number that an earlier host of this editor gave to a question."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every part of the host may rely on for its whole life."""

    config_file: Path
    state_dir: Path
    log_dir: Path
    cwd: Path
    headless: bool
    sampling: bool = False
    roots: RootsMessage | None = None
    """None: no server is told of any folder."""
    log_level: LogLevel | None = None
    questions_seen: int = 0
    environment: Mapping[str, str] = field(repr=False)
    """The editor's environment as this process inherited it: where references are resolved."""


def settings_from(message: StartMessage, environment: Mapping[str, str] | None = None) -> Settings:
    """The settings for one run of the host; with this process's environment as it is now unless another is given."""
    return Settings(
        config_file=Path(message.config_file),
        state_dir=Path(message.state_dir),
        log_dir=Path(message.log_dir),
        cwd=Path(message.cwd),
        headless=message.headless,
        sampling=message.sampling,
        roots=message.roots or None,
        log_level=message.log_level or None,
        questions_seen=message.questions_seen,
        environment=dict(os.environ) if environment is None else environment,
    )
