"""A home and a workspace full of marked secrets: definitions in every layer, other clients' files, an environment."""

from __future__ import annotations

import base64
import json
import shlex
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from mcp_host.core.definitions.toml_text import server_toml
from tests.editor.marked_secrets import Marks
from tests.editor.neovim import REPOSITORY, Homes

LEAKY: Final = str(REPOSITORY / "tests" / "servers" / "leaky.py")

READS: Final = (
    *("tell", "fault", "refuse", "progress", "long", "blob", "garbage"),
    *("unwell", "denied", "elsewhere", "die"),
)
"""The tools of `tests/servers/leaky.py` that run without a review; it has `change` beside them."""

GIVEN: Final[dict[str, frozenset[str]]] = {
    "alpha": frozenset({"ALPHA_TOKEN", "ALPHA_PASSWORD", "ALPHA_NOTE", "ALPHA_KEY"}),
    "beta": frozenset({"BETA_TOKEN", "BETA_FED", "BETA_OTHER"}),
    "gamma": frozenset({"GAMMA_QUERY", "GAMMA_API_KEY", "GAMMA_TEAM", "GAMMA_TOKEN"}),
    "delta": frozenset({"DELTA_PASSWORD", "DELTA_COOKIE"}),
    "eta": frozenset({"ETA_TOKEN"}),
    "theta": frozenset({"THETA_KEY", "NVIM_MCP_THETA_BEARER"}),
    "iota": frozenset({"IOTA_TOKEN"}),
    "phi": frozenset({"PHI_FED"}),
    "psi": frozenset({"PSI_TOKEN"}),
    "imported": frozenset({"IMPORTED_KEY"}),
    "session": frozenset({"SESSION_KEY"}),
    "probe": frozenset({"a typed variable"}),
    "probed": frozenset({"a typed URL"}),
}
"""The servers that come up, and the secrets that each is meant to have."""

REFUSED: Final = {
    "epsilon": "authorization-required",
    "zeta": "authorization-required",
    "chi": "reference-missing",
    "upsilon": "reference-missing",
    "tau": "definition-invalid",
    "kappa": "definition-invalid",
    "lambda": "definition-invalid",
    "mu": "definition-invalid",
    "nu": "definition-invalid",
    "pi": "definition-invalid",
    "rho": "definition-invalid",
    "sigma": "definition-invalid",
}
"""The servers that do not, and why."""


class World:
    """The files are written; whatever holds a secret of them is in `own`."""

    def __init__(self, folder: Path, homes: Homes, workspace: Path, port: int) -> None:
        self.marks = Marks()
        self.folder = folder
        self.homes = homes
        self.workspace = workspace
        self.port = port
        self.saw = folder / "saw"
        self.own: dict[Path, frozenset[str]] = {}
        """The files with literal secrets that a person or another program wrote, and which."""
        self.vault = {
            **{name: self.marks[name] for name in ("BETA_FED", "PHI_FED", "IMPORTED_KEY", "SESSION_KEY")},
            **{name: self.marks[name] for name in ("CHI_RAISES", "UPSILON_WRONG")},
        }
        """What the person's resolver knows."""
        homes.definitions.write_text(self._user_file())
        self.own[homes.definitions] = frozenset({"TAU_LITERAL"})
        self._write_project_file()
        self._write_files_of_others()

    @property
    def home(self) -> Path:
        return self.homes.root / "home"

    def url(self, name: str, more: str = "") -> str:
        return f"http://127.0.0.1:{self.port}/{name}{more}"

    def command_line(self, name: str, *words: str, **variables: str) -> str:
        """As somebody types it."""
        given = {**variables, "LEAKY_NAME": name, "LEAKY_SAW": str(self.saw)}
        said = [f"{key}={shlex.quote(value)}" for key, value in given.items()]
        return " ".join([*said, shlex.join([sys.executable, "-S", LEAKY, *words])])

    def environment(self) -> dict[str, str]:
        """The environment that the person starts Neovim in."""
        marks = self.marks
        refers = [
            *("ALPHA_TOKEN", "ALPHA_PASSWORD", "ALPHA_NOTE", "ALPHA_KEY", "BETA_TOKEN", "BETA_OTHER"),
            *("GAMMA_QUERY", "GAMMA_API_KEY", "GAMMA_TEAM", "GAMMA_TOKEN", "DELTA_COOKIE"),
            *("EPSILON_SECRET", "ZETA_SECRET", "ETA_TOKEN", "THETA_KEY", "IOTA_TOKEN", "PSI_TOKEN", "NOBODYS_TOKEN"),
        ]
        basic = base64.b64encode(f"user:{marks['DELTA_PASSWORD']}".encode()).decode()
        eta = {"TOKEN": "${ETA_TOKEN}", "LEAKY_NAME": "eta", "LEAKY_SAW": str(self.saw)}
        servers = {
            "ETA": sys.executable,
            "ETA_ARGS": json.dumps(["-S", LEAKY]),
            "ETA_ENV": json.dumps(eta),
            "ETA_READ": json.dumps(READS),
            "THETA": self.url("theta"),
            "THETA_HEADERS": json.dumps({"X-Api-Key": "${THETA_KEY}"}),
            "THETA_BEARER": marks["NVIM_MCP_THETA_BEARER"],
            "THETA_READ": json.dumps(READS),
            "IOTA": self.url("iota"),
            "IOTA_BEARER": "${IOTA_TOKEN}",
            "IOTA_READ": json.dumps(READS),
            # None of these is a sound definition, and what is said about them quotes no value.
            "KAPPA": sys.executable,
            "KAPPA_ENV": json.dumps({"API_KEY": marks["a literal in _ENV"]}),
            "LAMBDA": "https://example.test/mcp",
            "LAMBDA_HEADERS": json.dumps({"Authorization": f"Bearer {marks['a literal in _HEADERS']}"}),
            "MU": f"https://user:{quote(marks['a password before a host'], safe='')}@example.test/mcp",
            "NU": f"npx server --token {marks['a command line']}",
            "PI": sys.executable,
            "PI_ENV": f'{{"TOKEN": "{marks["JSON without an end"]}',
            "RHO": sys.executable,
            "RHO_CWD": marks["no folder"],
            "SIGMA": sys.executable,
            "SIGMA_ARGS": json.dumps({marks["a wrong shape"]: 1}),
            "OMEGA_BEARER": marks["an orphan"],
            "OMICRON_TOKEN": marks["a name of a secret"],
            "CONNECT_TIMEOUT": marks["no number"],
            # Sound, and a secret nevertheless: nothing connects to it, and what is told of it ends before the query.
            "XI": f"https://example.test/mcp?token={marks['a literal query']}",
        }
        return {
            **self.homes.environment(),
            "HOME": str(self.home),
            **{name: marks[name] for name in refers},
            "DELTA_BASIC": basic,
            **{f"NVIM_MCP_{name}": value for name, value in servers.items()},
        }

    def _program(self, name: str, env: Mapping[str, str]) -> str:
        given = {"LEAKY_NAME": name, "LEAKY_SAW": str(self.saw), **env}
        table = {"command": sys.executable, "args": ["-S", LEAKY], "env": given, "read": list(READS)}
        return server_toml(name, table)

    def _remote(self, name: str, more: str = "", **fields: object) -> str:
        return server_toml(name, {"url": self.url(name, more), "read": list(READS), **fields})

    def _user_file(self) -> str:
        def bearer(name: str) -> dict[str, str]:
            return {"type": "bearer", "token": f"${{{name}}}"}

        client = {"client_id": "me", "issuer": "https://example.test"}
        service = "https://example.test/?k=${ALPHA_KEY}"
        alpha = {
            "TOKEN": "${ALPHA_TOKEN}",
            "PASSWORD": "${ALPHA_PASSWORD}",
            "NOTE": "a ${ALPHA_NOTE} b",
            "URL": service,
        }
        texts = [
            self._program("alpha", alpha),
            self._program("beta", {"TOKEN": "${BETA_TOKEN}", "API_KEY": "${BETA_FED}", "OTHER": "${BETA_OTHER:-none}"}),
            self._remote(
                "gamma",
                "?key=${GAMMA_QUERY}",
                headers={"X-Api-Key": "${GAMMA_API_KEY}", "X-Team": "team ${GAMMA_TEAM}"},
                authorization=bearer("GAMMA_TOKEN"),
            ),
            self._remote("delta", headers={"Authorization": "Basic ${DELTA_BASIC}", "Cookie": "${DELTA_COOKIE}"}),
            self._remote(
                "epsilon", authorization={"type": "oauth", "client_id": "me", "client_secret": "${EPSILON_SECRET}"}
            ),
            self._remote(
                "zeta", authorization={"type": "client-credentials", "client_secret": "${ZETA_SECRET}", **client}
            ),
            self._remote("phi", authorization=bearer("PHI_FED")),
            self._program("chi", {"TOKEN": "${CHI_RAISES}"}),
            self._program("upsilon", {"TOKEN": "${UPSILON_WRONG}"}),
            self._program("tau", {"API_KEY": self.marks["TAU_LITERAL"]}),
        ]
        return "# mine\n" + "\n".join(texts)

    def _write_project_file(self) -> None:
        file = self.workspace / ".nvim" / "mcp.toml"
        file.parent.mkdir()
        file.write_text(self._program("psi", {"TOKEN": "${PSI_TOKEN}"}))

    def _write_files_of_others(self) -> None:
        marks = self.marks
        leaky = {"command": sys.executable, "args": ["-S", LEAKY]}
        notes = {"LEAKY_NAME": "imported", "LEAKY_SAW": str(self.saw), "IMPORTED_KEY": marks["IMPORTED_KEY"]}
        ours = {
            "imported": {**leaky, "env": notes},
            "by-option": {"command": "some-server", "args": ["--api-key", marks["an option"]]},
            "by-header": {"url": "https://example.test/a", "headers": {"Authorization": f"Bearer {marks['a header']}"}},
            "by-url": {"url": f"https://example.test/b?token={marks['a query']}"},
        }
        self._of_others(self.workspace / ".mcp.json", json.dumps({"mcpServers": ours}), *marks_of(ours, marks))
        code = {
            "servers": {"by-code": {"url": "https://example.test/c", "headers": {"X-Api-Key": marks["of VS Code"]}}}
        }
        self._of_others(self.workspace / ".vscode" / "mcp.json", json.dumps(code), "of VS Code")
        broken = f'{{"mcpServers": {{"x": {{"env": {{"TOKEN": "{marks["a broken file"]}"]}}}}}}'
        self._of_others(self.workspace / ".cursor" / "mcp.json", broken, "a broken file")
        codex = (
            f'[mcp_servers.by-codex]\ncommand = "some-server"\nenv = {{ API_KEY = {json.dumps(marks["of Codex"])} }}\n'
        )
        self._of_others(self.home / ".codex" / "config.toml", codex, "of Codex")

    def _of_others(self, file: Path, text: str, *secrets: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.own[file] = frozenset(secrets)


def marks_of(value: object, marks: Marks) -> frozenset[str]:
    """The secrets in a JSON value."""
    return marks.in_(json.dumps(value))


@contextmanager
def leaky_address(saw: Path) -> Generator[int]:
    """The port of a server on loopback that tells its requests."""
    argv = [sys.executable, "-S", LEAKY, "http"]
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, env={"LEAKY_SAW": str(saw)}, text=True)
    with child:
        assert child.stdout is not None
        try:
            yield int(child.stdout.readline())
        finally:
            child.kill()
