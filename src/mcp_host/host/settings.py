"""Where this host's files are and how it was started: what the editor says once, at the start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict


class StartMessage(BaseModel):
    """The editor's first message, as it crosses from Lua."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config_file: str
    """The user's `mcp.toml`; it need not exist."""
    state_dir: str
    log_dir: str
    cwd: str
    headless: bool = False


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every part of the host may rely on for its whole life."""

    config_file: Path
    state_dir: Path
    log_dir: Path
    cwd: Path
    headless: bool
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
        environment=dict(os.environ) if environment is None else environment,
    )
