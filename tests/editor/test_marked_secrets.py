"""Secrets are in the server that they are meant for and nowhere else: no file, no buffer, no message, no process.

Forty of them are marked, and every way of showing something is gone through with servers that tell all they were given.
Where somebody puts a secret into a place of their own, that place keeps it: the environment that Neovim starts in, the
files of other clients, a literal in a file of definitions, what stands in a buffer that they write in. A command line
that is typed is kept in Vim's own history, as any is, and so in its shada; what the plugin makes of it is not. An
argument that refers to a secret is allowed and warned about (everybody sees it who lists processes), so none is here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.editor.looking import CONNECT_SECONDS
from tests.editor.marked_secrets import Marks, command_line, files_below, kept_by, processes_of
from tests.editor.neovim import Homes, run_headless
from tests.editor.secret_world import GIVEN, READS, REFUSED, World, leaky_address
from tests.editor.talking import Editor, running_editor

WATCH = """
local file, vault = ...
_G.vault, _G.open = vault, 0
require('mcp_host').setup({ resolve = function(name)
  if name == 'CHI_RAISES' then error('no: ' .. _G.vault[name]) end
  if name == 'UPSILON_WRONG' then return { _G.vault[name] } end
  return _G.vault[name]
end })
local rpc, crossed = require('mcp_host.rpc'), assert(io.open(file, 'ab'))
local request, receive = rpc.request, rpc.receive
rpc.request = function(verb, params, on_reply, opts)
  _G.open = _G.open + 1
  return request(verb, params, function(reply)
    on_reply(reply)
    _G.open = _G.open - 1
  end, opts)
end
rpc.receive = function(messages)
  crossed:write(vim.mpack.encode(messages))
  crossed:flush()
  return receive(messages)
end
require('mcp_host.proposal').LOOK_MS, require('mcp_host.trust').LOOK_MS = 0, 0
vim.o.undodir, vim.o.directory, vim.o.backupdir = vim.env.HOME, vim.env.HOME .. '//', vim.env.HOME
vim.o.undofile, vim.o.swapfile, vim.o.updatecount, vim.o.backup, vim.o.backupskip = true, true, 1, true, ''
vim.o.shada, vim.o.shadafile = [[!,'100,<1000,s1000,:1000,/1000,@1000,h]], vim.env.HOME .. '/main.shada'
"""
"""Keeps what crosses the door in a file, counts the requests without an answer, and turns on whatever Vim can keep."""


@pytest.fixture
def world(tmp_path: Path, homes: Homes, workspace: Path) -> Generator[World]:
    """All the secrets, and a server on loopback to send them to."""
    with leaky_address(tmp_path / "saw") as port:
        yield World(tmp_path, homes, workspace, port)


class Person:
    """Somebody at an editor, who goes on when everything is answered."""

    def __init__(self, editor: Editor, world: World) -> None:
        self.editor = editor
        self.world = world

    def does(self, *commands: str) -> None:
        for command in commands:
            self.editor.command(command)
            self.waits()

    def waits(self) -> None:
        self.editor.wait_until("_G.open == 0", seconds=CONNECT_SECONDS)

    def asks(self, verb: str, **params: Any) -> Any:
        """The document, or the type of the problem."""
        self.editor.lua(
            """_G.answer = nil
            local verb, params = ...
            params.want = 'document'
            require('mcp_host.rpc').request(verb, params, function(reply)
              _G.answer = reply.problem and reply.problem.type or { reply.document }
            end)""",
            verb,
            params,
        )
        answer = self.editor.wait_until("_G.answer", seconds=CONNECT_SECONDS)
        self.waits()
        return answer if isinstance(answer, str) else answer[0]

    def uses(self, alias: str, tools: Iterable[str] = READS) -> None:
        """Everything that can be shown of one server, and what it may change."""
        assert self.asks("enable", alias=alias)["server"]["status"] == "ready", alias
        for page in ("survey", "tool/tell"):
            self.does("only", f"edit mcp://{alias}/{page}")
            assert "[redacted]" in "\n".join(self.editor.lines()), "it does tell"
        self.does(f"McpTools {alias}")
        self.editor.command("stopinsert | fclose!")
        self.does(f"McpRead {alias} case://given", "only", f"McpPrompt {alias} given", "only")
        self.does(f'McpPreview {alias} change {{"text": "x"}}', "write", "only", f"McpExec! {alias} change", "only")
        for tool in tools:
            self.does(f"McpExec {alias} {tool}", "only")
        self.does(f"McpExec {alias} no-such-tool", f"McpRead {alias} case://none", "only")

    def finds(self) -> dict[str, frozenset[str]]:
        """The places in the editor that hold a secret, and which."""
        found = {place: self.world.marks.in_(text) for place, text in kept_by(self.editor)}
        return {place: marks for place, marks in found.items() if marks}


def found_in_files(world: World) -> dict[str, frozenset[str]]:
    """The files that hold a secret which is not theirs, and which."""
    found = {
        place: world.marks.in_(data) - world.own.get(Path(place), frozenset())
        for place, data in files_below(world.homes.root, world.workspace)
    }
    return {place: marks for place, marks in found.items() if marks}


def check_processes(world: World, editor: Editor) -> None:
    """Nobody sees a secret who lists processes, and each server has in its environment what it is meant to have."""
    names: set[str] = set()
    for pid in processes_of(editor.pid):
        assert not world.marks.in_(command_line(pid)), pid
        if b"leaky.py" in command_line(pid):
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            name = environment.split(b"LEAKY_NAME=")[1].split(b"\0")[0].decode()
            assert world.marks.in_(environment) == GIVEN[name]
            names.add(name)
    assert names >= {"alpha", "imported"}, "there are servers to look at"


def check_servers(world: World) -> None:
    """Each server was given what is meant for it, all of it, and nothing else."""
    seen: dict[str, set[str]] = {}
    for line in world.saw.read_text().splitlines():
        record = json.loads(line)
        name = record.get("environment", {}).get("LEAKY_NAME") or record["target"].strip("/").partition("?")[0]
        assert not world.marks.in_(json.dumps(record.get("arguments", ""))), name
        seen.setdefault(name, set()).update(world.marks.in_(line))
    assert seen == {name: set(marks) for name, marks in GIVEN.items()}


def shows_everything(person: Person) -> None:
    """Every server in every way, those that cannot come up too."""
    person.does("Mcp", "McpTrust", "write", "McpDoctor")
    for alias in ("alpha", "gamma"):
        person.uses(alias)
    for alias in ("beta", "delta", "eta", "theta", "iota", "phi", "psi"):
        person.uses(alias, ("tell", "refuse", "die"))
    for alias, why in REFUSED.items():
        assert person.asks("enable", alias=alias) == why
        person.does(f"McpEnable {alias}", "only", f"edit mcp://{alias}/survey")
    project = person.world.workspace / ".nvim" / "mcp.toml"
    project.write_text(project.read_text() + 'summary = "Changed"\n')
    person.does("McpTrust", "edit", "write", "McpUntrust", "McpProposals", "Mcp", "only")


def discovers_and_adds(person: Person) -> str:
    """Servers are found in other clients' files and by typing, and are defined; the command line that was typed."""
    world, marks = person.world, person.world.marks
    found = person.asks("discover")
    assert len(found["candidates"]) == 6
    assert found["problems"], "one of the files is broken"
    for candidate in found["candidates"]:
        assert person.asks("add", candidate=candidate["id"])["added"]["alias"] == candidate["alias"]
    person.does(f"edit mcp://candidates/{found['discovery']}", "McpDiscover", "McpDiscover .cursor/mcp.json", "only")
    person.uses("imported", ())

    typed = f"McpDiscover {world.command_line('probe', TOKEN=marks['a typed variable'])}"
    person.editor.press(f":{typed}<CR>")
    person.editor.wait_until("vim.fn.execute('messages'):find('candidates: 1;', 1, true)", seconds=CONNECT_SECONDS)
    person.does("only", f"McpDiscover {world.url('probed', '?token=' + quote(marks['a typed URL'], safe=''))}", "only")

    leaky = world.command_line("added", "--api-key", marks["a typed option"]).replace('"', '\\"')
    person.does(f'McpAdd added "{leaky}"', f"McpAdd reached https://example.test/?key={quote(marks['a typed query'])}")
    header = json.dumps({"headers": {"X-Api-Key": marks["a literal in options"]}})
    person.does(f"McpAdd refused https://example.test/ {header}", f"McpAdd refused https://example.test/ {header[:-1]}")
    person.does(f"McpAdd --token={marks['no flag']} refused", "only")
    options = json.dumps({"headers": {"X-Api-Key": "${SESSION_KEY}"}, "read": list(READS)})
    person.does(f"McpAdd --session session {world.url('session')} {options}")
    person.uses("session", ("tell", "refuse"))
    defined = {row["alias"] for row in person.asks("list")["servers"]}
    assert defined >= {"added", "reached", "session", "by-option", "by-header", "by-url", "by-code", "by-codex"}
    assert "refused" not in defined
    person.does("McpRemove by-url", "Mcp", "only", "McpDoctor", "checkhealth mcp_host", "tabonly")
    return typed


def writes_a_definition(person: Person) -> int:
    """A definition with a literal secret is refused, and its buffer keeps the text."""
    person.does("McpAdd")
    person.editor.wait_until("vim.bo.filetype == 'toml' and vim.bo.modifiable")
    literal = f"[servers.mine]\ncommand = \"never-run\"\nenv = {{ API_KEY = '{person.world.marks['a literal']}' }}"
    person.editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(..., '\\n'))", literal)
    person.does("write", "silent! preserve")
    assert person.asks("add", toml=literal) == "definition-invalid"
    return int(person.editor.lua("return vim.fn.bufnr('^mcp://add$')"))


def test_forty_secrets_are_found_in_no_file_buffer_message_or_other_process(world: World) -> None:
    with running_editor(world.environment(), "--cmd", f"cd {world.workspace}") as editor:
        editor.lua(WATCH, str(world.folder / "crossed"), world.vault)
        person = Person(editor, world)
        person.does("edit notes.txt", "call setline(1, 'mine')", "write", "write", "call setline(1, 'more')")
        shows_everything(person)
        typed = discovers_and_adds(person)
        template = writes_a_definition(person)
        assert len(world.marks) >= 40
        check_processes(world, editor)
        check_servers(world)
        person.does("buffer notes.txt", "preserve")
        assert list(world.home.glob("*.swp")), "swap files are on"
        assert not found_in_files(world)
        own = {"history cmd 1": {"a typed variable"}, "register :": {"a typed variable"}}
        assert typed == editor.lua("return vim.fn.histget('cmd', 1)")
        assert person.finds() == {**own, f"buffer {template} mcp://add": {"a literal"}}
    assert list(world.home.glob("*notes.txt~")), "backups are on"
    assert list(world.home.glob("%*notes.txt")), "undo files are on"
    finished = run_headless(
        world.environment(), world.workspace, "McpDoctor", "McpExec alpha tell", "Mcp survey eta", "McpEnable kappa"
    )
    assert (finished.exit_code, json.loads(finished.stderr)["type"]) == (2, REFUSED["kappa"])
    assert finished.stdout.count("[redacted]") > 9
    assert found_in_files(world) == {str(world.home / "main.shada"): {"a typed variable"}}
    assert not world.marks.in_((world.folder / "crossed").read_bytes())


PLANT = """
local mark = ...
vim.cmd.edit('planted.txt')
vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a line with ' .. mark })
local namespace = vim.api.nvim_create_namespace('planted')
vim.api.nvim_buf_set_extmark(0, namespace, 0, 0, { virt_text = { { mark, 'None' } } })
vim.b.planted, vim.w.planted, vim.t.planted, vim.g.planted = mark, { mark }, mark, { inside = mark }
vim.fn.setreg('p', mark)
vim.fn.histadd('search', mark)
vim.fn.setqflist({ { text = mark } })
vim.wo.winbar = mark
vim.api.nvim_echo({ { mark, 'None' } }, true, {})
package.loaded['mcp_host.planted'] = (function() return { deep = { function() return mark end } } end)()
vim.fn.jobstart({ 'sh', '-c', 'read line', mark })
"""


def test_a_secret_that_is_planted_is_found_wherever_it_is(editor: Editor, workspace: Path) -> None:
    marks = Marks()
    for name in ("plain", "escaped", "third"):
        secret = marks[name]
        ways = [secret, secret.upper(), quote(secret, safe=""), json.dumps(secret), secret[:20], secret[12:]]
        ways += [base64.b64encode(f"{lead}{secret}".encode()).decode() for lead in ("", "u:", "us:")]
        for number, way in enumerate(ways):
            (workspace / f".{name}-{number}").write_text(f"before {way} after")
            assert marks.in_(f"before {way} after") == {name}, way
    hidden = {Path(place).name for place, data in files_below(workspace) if marks.in_(data)}
    assert len(hidden) == 3 * 9
    assert marks.in_("marked-secret") == {"some"}
    assert not marks.in_("marked secret")

    editor.command(f"cd {workspace}")
    editor.lua(PLANT, marks["third"])
    found = {place.split(" ")[0] for place, text in kept_by(editor) if "third" in marks.in_(text)}
    places = {"buffer", "marks", "variables", "window", "history", "register", "variable", "messages", "quickfix"}
    assert found == {*places, "the", "what"}
    assert [pid for pid in processes_of(editor.pid) if "third" in marks.in_(command_line(pid))]
