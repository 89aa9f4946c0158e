"""What must not be missed about a server before somebody agrees to it: what it takes from the person, and odd texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from mcp_host.core.definitions.faults import FieldPath, field_name
from mcp_host.core.definitions.layers import Hidden
from mcp_host.core.definitions.references import reference_names
from mcp_host.core.rendering.text import clipped
from mcp_host.views.exact import hidden_characters, quoted
from mcp_host.views.layers import spoken_place
from mcp_host.views.trust_facts import Leaf, Said, TrustServer, leaves, said_fields

RUNNING: Final = ("command", "args", "cwd", "env")
CONNECTING: Final = ("url", "transport", "headers", "authorization")

GIVEN_TO_ALL: Final = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
"""Variables that every process gets, so that a reference hands nothing over. An address gets none of them."""

_OF_WEIGHT: Final = frozenset({*RUNNING, *CONNECTING, "tools", "read", "pairs", "enabled", "autostart"})
"""Fields whose replacement changes what runs or is let run; the others are labels and waiting times."""

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "cmd", "powershell", "pwsh"})
_SHELL_OPTION: Final = re.compile(r"-[a-z]*c|/c|-(?:command|encodedcommand)", re.IGNORECASE)

_BLANKS: Final = re.compile(" {20,}")
_WORD: Final = re.compile(r"\w+")
_NAMES_LIMIT: Final = 8
"""How many odd characters of one value are named."""
_PATH_LIMIT: Final = 80


def cautions(server: TrustServer) -> tuple[str, ...]:
    """What the whole server does that a person must know, each as the rest of a sentence about it."""
    said = said_fields(server)
    return (
        *(("is new since your last yes",) if server.is_new else ()),
        *(f"has an alias that {oddity}" for oddity in _oddities(server.alias)),
        *_through_a_shell(said),
        *_taken(said),
        *_handed(said),
        *_let_run(said),
        *(f"replaces your {_listed(one.fields)} ({_place(one)})" for one in server.hides if is_of_weight(one)),
    )


def value_cautions(leaf: Leaf) -> tuple[str, ...]:
    """What an eye would miss in one value or in the key before it."""
    texts = [part for part in (leaf.path[-1], leaf.value) if isinstance(part, str)]
    found = [oddity for text in texts for oddity in _oddities(text)]
    if isinstance(leaf.value, str) and (likenesses := _likenesses(leaf.path, leaf.value)):
        found.append(f"holds characters that look like others: {_limited(likenesses)}")
    return tuple(dict.fromkeys(found))


def all_cautions(server: TrustServer) -> tuple[str, ...]:
    """The cautions about the server and about each value that it would have."""
    of_values = (
        f"{spoken_path(leaf.path)} {caution}"
        for name, said in said_fields(server).items()
        for leaf in leaves(said.value, (name,))
        for caution in value_cautions(leaf)
    )
    return (*cautions(server), *of_values)


def spoken_path(path: FieldPath) -> str:
    """What to call a value: as much of its path as a line has room for. The path itself is shown whole elsewhere."""
    return clipped(field_name(path), _PATH_LIMIT)


def handed_over(said: Mapping[str, Said]) -> dict[str, list[str]]:
    """The person's variables that these fields refer to, and from where."""
    found: dict[str, list[str]] = {}
    for field in (*RUNNING, *CONNECTING):
        if field in said:
            for leaf in leaves(said[field].value, (field,)):
                for name in reference_names(leaf.value) if isinstance(leaf.value, str) else ():
                    found.setdefault(name, []).append(spoken_path(leaf.path))
    return found


def is_of_weight(hidden: Hidden) -> bool:
    """Whether something is replaced that decides what runs."""
    return not _OF_WEIGHT.isdisjoint(hidden.fields)


def _through_a_shell(said: Mapping[str, Said]) -> Iterator[str]:
    """A shell runs whatever stands in its argument, so the argument is the program."""
    command, args = said.get("command"), said.get("args")
    if command is None or args is None or not isinstance(command.value, str):
        return
    name = command.value.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if name in _SHELLS and any(_SHELL_OPTION.fullmatch(text) for text in _texts(args.value)):
        yield f"has {name} run what its arguments say"


def _taken(said: Mapping[str, Said]) -> Iterator[str]:
    """What the person wrote for one target and the file gives to another."""
    theirs = {name: one for name, one in said.items() if one.place}
    if _names_own(said, "url", "transport"):
        if "authorization" in theirs:
            yield f"sends your `authorization` ({theirs['authorization'].place}) to this address"
        if "headers" in theirs:
            yield f"sends your headers {_keys(theirs['headers'])} ({theirs['headers'].place}) to this address"
    if _names_own(said, "command", "args", "cwd") and "env" in theirs:
        yield f"gives your env {_keys(theirs['env'])} ({theirs['env'].place}) to this command"
    if _names_own(said, "command") and "args" in theirs:
        yield f"gives your args ({theirs['args'].place}) to this command"
    for target, options in (("command", RUNNING), ("url", CONNECTING)):
        own = [name for name in options if _names_own(said, name)]
        if target in theirs and own:
            yield f"uses your {target} ({theirs[target].place}) with {_listed(own)} of its own"


def _handed(said: Mapping[str, Said]) -> Iterator[str]:
    own = {name: one for name, one in said.items() if not one.place}
    to_command = handed_over({name: own[name] for name in RUNNING if name in own})
    if names := [f"${name}" for name in to_command if name not in GIVEN_TO_ALL]:
        yield f"gives your {_listed(names)} to this command"
    to_address = handed_over({name: own[name] for name in CONNECTING if name in own})
    if names := [f"${name}" for name in to_address]:
        yield f"sends your {_listed(names)} to this address"


def _let_run(said: Mapping[str, Said]) -> Iterator[str]:
    is_other_target = _names_own(said, *RUNNING, *CONNECTING)
    read = said.get("read")
    if read is not None and (names := _texts(read.value)):
        if read.place and is_other_target:
            yield f"runs without review what your `read` ({read.place}) names: {_listed(map(quoted, names))}"
        elif not read.place and not _names_own(said, "command", "url"):
            yield f"lets tools of your server run without review: {_listed(map(quoted, names))}"
    pairs = said.get("pairs")
    if pairs is not None and (names := _previews(pairs.value)) and (is_other_target or not pairs.place):
        whose = f", as your `pairs` ({pairs.place}) says" if pairs.place else ""
        yield f"lets these run without review, as previews of others{whose}: {_listed(map(quoted, names))}"
    autostart = said.get("autostart")
    if autostart is not None and autostart.value is True and (is_other_target or not autostart.place):
        why = f", as your `autostart` ({autostart.place}) says" if autostart.place else ""
        yield f"starts by itself once the editor is idle{why}"


def _names_own(said: Mapping[str, Said], *names: str) -> bool:
    return any(name in said and not said[name].place for name in names)


def _keys(said: Said) -> str:
    return _listed(str(leaf.path[0]) for leaf in leaves(said.value, ()) if leaf.path) or "(all)"


def _texts(value: object) -> list[str]:
    return [str(leaf.value) for leaf in leaves(value, ()) if isinstance(leaf.value, str)]


def _previews(value: object) -> list[str]:
    return [str(leaf.value) for leaf in leaves(value, ()) if leaf.path[-1:] == ("preview",)]


def _place(hidden: Hidden) -> str:
    return spoken_place(hidden.layer, hidden.file, hidden.line)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _limited(names: Sequence[str]) -> str:
    more = len(names) - _NAMES_LIMIT
    return _listed(names[:_NAMES_LIMIT]) + (f" and {more} more" if more > 0 else "")


def _oddities(text: str) -> Iterator[str]:
    if hidden := hidden_characters(text):
        yield f"holds invisible characters: {_limited(hidden)}"
    if blanks := _BLANKS.search(text):
        yield f"holds {len(blanks.group())} blanks in a row"


def _likenesses(path: FieldPath, text: str) -> list[str]:
    """Letters that pass for Latin ones: any of a command or an address, elsewhere those within a Latin word."""
    if text.isascii():
        return []
    is_target = path in (("command",), ("url",)) or path[0] == "authorization"
    words = [text] if is_target else [word for word in _WORD.findall(text) if re.search("[A-Za-z]", word)]
    found = dict.fromkeys(character for word in words for character in word if not character.isascii())
    return [
        f"{character} (U+{ord(character):04X})"
        for character in found
        if not hidden_characters(character) and (is_target or _is_letter_of_another_script(character))
    ]


def _is_letter_of_another_script(character: str) -> bool:
    return character.isalpha() and not unicodedata.name(character, "").startswith("LATIN ")
