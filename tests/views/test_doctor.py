"""The doctor puts first what stands in the way, each with its next step, and shows no value of any variable."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import cast

from mcp_host.problems import Problem
from mcp_host.views.doctor import DoctorFacts, ReferenceCheck, ServerCheck, doctor_document, doctor_view
from mcp_host.views.layers import LayerFacts, layer_document
from mcp_host.views.view import Item
from tests.views.samples import HOSTILE, assert_safe, text_of

STATE = "/home/me/.local/state/nvim/mcp-host"

UNPARSABLE = Problem(
    type="definition-unparsable",
    title="mcp.toml is not TOML, so it cannot be read",
    detail="mcp.toml:12:4: Expected '=' after a key",
    hint="Mend the place that is named.",
)

UNREACHED = Problem(
    type="server-unavailable",
    title="The server remote cannot be reached.",
    detail="https://${HOST}/mcp: refused",
    hint="Check the address, then :McpEnable remote.",
    alias="remote",
)

TIME = ServerCheck(
    alias="time",
    status="ready",
    target="uvx",
    executable="/home/me/.local/bin/uvx",
    references=(
        ReferenceCheck(field="args[1]", name="TZ", state="fallback"),
        ReferenceCheck(field="env.TOKEN", name="TIME_TOKEN", state="set"),
    ),
    warnings=("everybody who lists processes sees TZ: use env instead of args[1]",),
    log=f"{STATE}/time.log",
)

GIT = ServerCheck(
    alias="git",
    status="off",
    target="mcp-server-git",
    searched=("/usr/local/bin", "/usr/bin"),
    references=(ReferenceCheck(field="env.GIT_TOKEN", name="GIT_TOKEN", state="missing"),),
)

REMOTE = ServerCheck(alias="remote", status="failed", target="https://${HOST}/mcp", problem=UNREACHED)

OURS = ServerCheck(
    alias="ours",
    status="off",
    target="node",
    references=(ReferenceCheck(field="env.KEY", name="KEY", state="not looked at"),),
)

FACTS = DoctorFacts(
    python="/home/me/.local/share/nvim/mcp-host/bin/python (3.12.3)",
    versions=(("mcp-host", "0.3.0"), ("mcp", "2.0.1")),
    workspace="/home/me/app",
    layers=(
        LayerFacts(layer="environment", file="the environment", state="read", servers=1),
        LayerFacts(layer="user", file="/home/me/.config/nvim/mcp.toml", state="unparsable", problems=(UNPARSABLE,)),
        LayerFacts(layer="project", file="/home/me/app/.nvim/mcp.toml", state="untrusted"),
        LayerFacts(layer="session", file="this session", state="absent"),
    ),
    servers=(TIME, GIT, REMOTE, OURS),
    logs=(("host", f"{STATE}/host.log"),),
    resolver=False,
)

DOCTOR = """\
Doctor · 5 problems, 1 warning
Nothing was started or connected for this.

Problems (5)
  ! mcp.toml is not TOML, so it cannot be read
    mcp.toml:12:4: Expected '=' after a key
    → Mend the place that is named.
  ! The server remote cannot be reached.
    https://${HOST}/mcp: refused
    → Check the address, then :McpEnable remote.
  ! /home/me/app/.nvim/mcp.toml waits for your yes: nothing in it counts
    → :McpTrust shows what it would run.
  ! git: mcp-server-git was not found
    → Install it, or write its absolute path as `command`.
  ! git: GIT_TOKEN is not set
    → Set it where Neovim is started, or feed it with setup{ resolve }.

Definitions (the lower line wins)
  environment  read        1 server  the environment
  user         unparsable  /home/me/.config/nvim/mcp.toml
  project      untrusted   /home/me/app/.nvim/mcp.toml
  session      absent      this session

Servers (4)
  time    ready   uvx
    found at      /home/me/.local/bin/uvx
    references    TZ is not set, its fallback is used  (args[1])
                  TIME_TOKEN is set  (env.TOKEN)
    ! everybody who lists processes sees TZ: use env instead of args[1]
    log           /home/me/.local/state/nvim/mcp-host/time.log
  git     off     mcp-server-git
    not found in  /usr/local/bin
                  /usr/bin
    references    GIT_TOKEN is not set  (env.GIT_TOKEN)
  remote  failed  https://${HOST}/mcp
  ours    off     node
    references    KEY was not looked at: the file waits for your yes  (env.KEY)

Host
  Python     /home/me/.local/share/nvim/mcp-host/bin/python (3.12.3)
  mcp-host   0.3.0
  mcp        2.0.1
  workspace  /home/me/app
  resolve    no setup{ resolve }

Logs
  host       /home/me/.local/state/nvim/mcp-host/host.log"""


def test_what_stands_in_the_way_comes_first_and_everything_fits_eighty_columns() -> None:
    view = doctor_view(FACTS)
    assert text_of(view) == DOCTOR
    assert_safe(view)
    assert all(len(line) <= 80 for line in view.lines)
    assert (view.filetype, view.title) == ("mcp-doctor", "doctor")


def test_each_line_leads_to_what_it_is_about() -> None:
    view = doctor_view(FACTS)
    items = {view.lines[item.row]: item for item in view.items}
    user = items["  user         unparsable  /home/me/.config/nvim/mcp.toml"]
    assert user == Item(row=user.row, kind="path", alias="", name="/home/me/.config/nvim/mcp.toml")
    project = items["    → :McpTrust shows what it would run."]
    assert project == Item(row=project.row, kind="layer", alias="", name="project")
    git = items["  ! git: GIT_TOKEN is not set"]
    assert git == Item(row=git.row, kind="server", alias="git", name="git")
    log = items[f"    log           {STATE}/time.log"]
    assert log == Item(row=log.row, kind="path", alias="time", name=f"{STATE}/time.log")


def test_a_healthy_host_says_so() -> None:
    layer = LayerFacts(layer="user", file="~/mcp.toml", state="read", servers=2)
    lines = doctor_view(DoctorFacts(python="python", workspace="/w", layers=(layer,))).lines
    assert lines == (
        "Doctor · 0 problems, 0 warnings",
        "Nothing was started or connected for this.",
        "✓ nothing stands in the way of a server",
        "",
        "Definitions (the lower line wins)",
        "  user         read        2 servers  ~/mcp.toml",
        "",
        "Host",
        "  Python     python",
        "  workspace  /w",
    )


def test_a_name_that_the_persons_resolver_may_feed_is_no_problem() -> None:
    lines = doctor_view(replace(FACTS, servers=(replace(GIT, searched=()),), layers=(), resolver=True)).lines
    assert lines[0] == "Doctor · 0 problems, 0 warnings"
    assert "    references    GIT_TOKEN is not set, so setup{ resolve } is asked  (env.GIT_TOKEN)" in lines
    assert "  resolve    setup{ resolve } is asked" in lines


def test_the_same_thing_is_said_once() -> None:
    missing = Problem(type="reference-missing", title="git: GIT_TOKEN", detail="d", hint="h")
    gone = Problem(type="server-unavailable", title="git: not there", detail="d", hint="h")
    layer = LayerFacts(layer="user", file="f", state="unreadable", problems=(missing,))
    facts = replace(FACTS, layers=(layer,), servers=(replace(GIT, problem=missing), replace(GIT, problem=gone)))
    titles = [line for line in doctor_view(facts).lines if line.startswith("  ! ")]
    assert titles == [
        "  ! git: GIT_TOKEN",
        "  ! git: not there",
        "  ! git: mcp-server-git was not found",
        "  ! git: GIT_TOKEN is not set",
    ]


def test_a_file_that_cannot_be_read_is_a_problem_even_where_nobody_said_why() -> None:
    facts = replace(FACTS, layers=(LayerFacts(layer="user", file="/f", state="unreadable"),), servers=())
    assert doctor_view(facts).lines[4:6] == (
        "  ! /f is unreadable",
        "    → Mend the file; the last text that could be read stays in force.",
    )


def test_the_document_has_all_of_it() -> None:
    doctor = cast("dict[str, object]", doctor_document(replace(FACTS, servers=(GIT, REMOTE)))["doctor"])
    assert {key: doctor[key] for key in ("python", "versions", "workspace", "logs", "resolver")} == {
        "python": FACTS.python,
        "versions": {"mcp-host": "0.3.0", "mcp": "2.0.1"},
        "workspace": "/home/me/app",
        "logs": {"host": f"{STATE}/host.log"},
        "resolver": False,
    }
    assert doctor["layers"] == [layer_document(layer) for layer in FACTS.layers]
    servers = cast("list[dict[str, object]]", doctor["servers"])
    assert servers[0] == {
        "alias": "git",
        "status": "off",
        "target": "mcp-server-git",
        "executable": None,
        "searched": ["/usr/local/bin", "/usr/bin"],
        "references": [{"field": "env.GIT_TOKEN", "name": "GIT_TOKEN", "state": "missing"}],
        "warnings": [],
        "log": "",
    }
    assert servers[1]["problem"] == UNREACHED.model_dump(mode="json", exclude_none=True)


def test_hostile_words_everywhere_stay_words() -> None:
    problem = Problem(type="internal", title=HOSTILE, detail=HOSTILE, hint=HOSTILE)
    server = ServerCheck(
        alias=HOSTILE,
        status=HOSTILE,
        target=HOSTILE,
        executable=HOSTILE,
        searched=(HOSTILE,),
        references=(ReferenceCheck(field=HOSTILE, name=HOSTILE, state="missing"),),
        warnings=(HOSTILE,),
        problem=problem,
        log=HOSTILE,
    )
    facts = DoctorFacts(
        python=HOSTILE,
        versions=((HOSTILE, HOSTILE),),
        workspace=HOSTILE,
        layers=tuple(
            LayerFacts(layer=HOSTILE, file=HOSTILE, state=state, problems=problems)
            for state in ("read", "untrusted", "unreadable")
            for problems in ((), (problem,))
        ),
        servers=(server,),
        logs=((HOSTILE, HOSTILE),),
    )
    assert_safe(doctor_view(facts))
    json.dumps(doctor_document(facts)["doctor"], ensure_ascii=False)
