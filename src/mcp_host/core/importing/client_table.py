"""The clients whose files are known: where their servers stand, what each field means, how their placeholders work.

The fields are read in the order of their table, not of the file: the environment decides about arguments, the target
about the transport. Whatever is in no table is left out and said so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_host.core.importing import codex_fields, gemini_fields, zed_fields
from mcp_host.core.importing.arguments import read_args
from mcp_host.core.importing.interpolation import Dialect
from mcp_host.core.importing.launching import read_command, read_cwd, read_env
from mcp_host.core.importing.policies import (
    Reader,
    pass_over,
    read_approvals,
    read_disabled,
    read_disabled_tools,
    read_enabled,
    read_seconds,
    read_summary,
    read_tools,
    say,
)
from mcp_host.core.importing.reaching import read_headers, read_oauth, read_transport, read_url


@dataclass(frozen=True, kw_only=True)
class Client:
    """One client and the shape of its file."""

    name: str
    """As people know it."""
    keys: tuple[tuple[str, ...], ...]
    """Where its servers may stand, the first that is there counts."""
    endings: tuple[str, ...] = ()
    """How the path of its file ends. Those in a workspace and those of a person are the same as a rule."""
    fields: Mapping[str, Reader]
    dialect: Dialect = field(default_factory=Dialect)
    is_toml: bool = False
    is_only_for_servers: bool = True
    """Whether a file without servers is odd. Settings may well have none."""


_ENV_FILE: Final = say(
    "`{key}` is not read here: put the variables that the server needs from it into env, as references."
)
_RESTARTS: Final = say("`{key}` is for developing the server in {client}, and was left out.")

_COMMON: Final[Mapping[str, Reader]] = {
    "env": read_env,
    "cwd": read_cwd,
    "command": read_command,
    "args": read_args,
    "url": read_url,
    "headers": read_headers,
    "oauth": read_oauth,
    "type": read_transport,
    "transport": read_transport,
    "disabled": read_disabled,
    "enabled": read_enabled,
    "description": read_summary,
    "alwaysAllow": read_approvals,
    "autoApprove": read_approvals,
    "trust": read_approvals,
    "envFile": _ENV_FILE,
    "$schema": pass_over,
    "name": pass_over,
}

_CLAUDE: Final[Mapping[str, Reader]] = {
    **_COMMON,
    "timeout": read_seconds("request_timeout_seconds", units=1000),
    "headersHelper": say(
        "`{key}` is a command that makes headers, and is not run here: give an authorization or headers with "
        "references, which setup{{ resolve }} can feed."
    ),
    "tools": read_tools,
    "alwaysLoad": say("`{key}` keeps all tools listed in {client}; here `always_listed` names them."),
}

_VS_CODE: Final[Mapping[str, Reader]] = {
    **_COMMON,
    "sandboxEnabled": say("{client} starts the server in a sandbox. Here it runs without one."),
    "sandbox": say("The rules of the sandbox were left out: here the server runs without one."),
    "dev": _RESTARTS,
    "gallery": pass_over,
    "version": pass_over,
}

_CURSOR: Final[Mapping[str, Reader]] = {**_COMMON, "auth": read_oauth}

_ZED: Final[Mapping[str, Reader]] = {
    **_COMMON,
    "command": zed_fields.read_command,
    "timeout": read_seconds("request_timeout_seconds"),
    "remote": say("`{key}` runs the server on the other machine in {client}. Here it runs where the editor does."),
    "settings": zed_fields.read_settings,
    "source": pass_over,
}

_MCPHUB: Final[Mapping[str, Reader]] = {
    **_COMMON,
    "disabled_tools": read_disabled_tools,
    "disabled_resources": say("`{key}` was left out: resources are all on here."),
    "disabled_resourceTemplates": say("`{key}` was left out: resource templates are all on here."),
    "disabled_prompts": say("`{key}` was left out: prompts are all on here."),
    "custom_instructions": say("`{key}` was left out: they were added to what a model is told."),
    "dev": _RESTARTS,
    "config_source": pass_over,
}

_GEMINI: Final[Mapping[str, Reader]] = {
    **_COMMON,
    "url": gemini_fields.read_url,
    "httpUrl": gemini_fields.read_http_url,
    "type": gemini_fields.read_type,
    "tcp": gemini_fields.read_tcp,
    "timeout": read_seconds("request_timeout_seconds", units=1000),
    "includeTools": read_tools,
    "excludeTools": read_disabled_tools,
    "authProviderType": gemini_fields.read_provider,
}

_OTHER: Final[Mapping[str, Reader]] = {
    **_COMMON,
    "serverUrl": read_url,
    "tools": read_tools,
    "disabledTools": read_disabled_tools,
    "headersHelper": _CLAUDE["headersHelper"],
    "timeout": say(
        "`{key}` was left out: its unit is another in every client. `request_timeout_seconds` says it here."
    ),
}

_CODEX: Final[Mapping[str, Reader]] = {
    "env": read_env,
    "env_vars": codex_fields.read_variables,
    "cwd": read_cwd,
    "command": read_command,
    "args": read_args,
    "url": read_url,
    "http_headers": read_headers,
    "env_http_headers": codex_fields.read_header_variables,
    "bearer_token_env_var": codex_fields.read_token_variable,
    "bearer_token": codex_fields.read_token,
    "oauth": read_oauth,
    "scopes": codex_fields.read_scopes,
    "oauth_resource": say("`{key}` was left out: the resource is the URL here."),
    "startup_timeout_ms": read_seconds("connect_timeout_seconds", units=1000),
    "startup_timeout_sec": read_seconds("connect_timeout_seconds"),
    "tool_timeout_sec": read_seconds("request_timeout_seconds"),
    "enabled": read_enabled,
    "enabled_tools": read_tools,
    "disabled_tools": read_disabled_tools,
    "default_tools_approval_mode": read_approvals,
    "tools": codex_fields.read_tool_approvals,
    "experimental_environment": codex_fields.read_environment,
    "required": say("`{key}` was left out: a server that fails stops nothing here."),
    "supports_parallel_tool_calls": pass_over,
    "name": pass_over,
}

_MCP_SERVERS: Final = (("mcpServers",),)
_HANDS_ON: Final = Dialect(expands_plain=False)

CLAUDE_CODE_USER: Final = Client(
    name="Claude Code", keys=_MCP_SERVERS, endings=("/.claude.json",), fields=_CLAUDE, is_only_for_servers=False
)
GEMINI: Final = Client(
    name="Gemini CLI",
    keys=_MCP_SERVERS,
    endings=("/.gemini/settings.json",),
    fields=_GEMINI,
    dialect=Dialect(bare="anywhere"),
    is_only_for_servers=False,
)
VS_CODE: Final = Client(
    name="VS Code",
    keys=(("servers",), ("mcp", "servers"), ("mcpServers",)),
    endings=("/.vscode/mcp.json", "/Code/User/mcp.json", "/Code - Insiders/User/mcp.json"),
    fields=_VS_CODE,
    dialect=_HANDS_ON,
)
CODEX: Final = Client(
    name="Codex",
    keys=(("mcp_servers",),),
    endings=("/.codex/config.toml",),
    fields=_CODEX,
    dialect=_HANDS_ON,
    is_toml=True,
    is_only_for_servers=False,
)
ZED: Final = Client(
    name="Zed",
    keys=(("context_servers",),),
    endings=("/zed/settings.json", "/.zed/settings.json"),
    fields=_ZED,
    dialect=_HANDS_ON,
    is_only_for_servers=False,
)
OTHER: Final = Client(name="another client", keys=_MCP_SERVERS, fields=_OTHER)

CLIENTS: Final[tuple[Client, ...]] = (
    Client(name="Claude Code", keys=_MCP_SERVERS, endings=("/.mcp.json",), fields=_CLAUDE),
    CLAUDE_CODE_USER,
    VS_CODE,
    Client(name="Cursor", keys=_MCP_SERVERS, endings=("/.cursor/mcp.json",), fields=_CURSOR, dialect=_HANDS_ON),
    Client(
        name="Claude Desktop",
        keys=_MCP_SERVERS,
        endings=("/claude_desktop_config.json",),
        fields=_CLAUDE,
        dialect=_HANDS_ON,
        is_only_for_servers=False,
    ),
    CODEX,
    ZED,
    Client(
        name="mcphub.nvim",
        keys=(("servers",), ("mcpServers",)),
        endings=("/mcphub/servers.json", "/.mcphub/servers.json"),
        fields=_MCPHUB,
        dialect=Dialect(bare="whole", reads_own_env=True, inherits_empty=True),
    ),
    GEMINI,
)
"""Told apart by the ends of their paths first."""
