"""How another client starts a server: its command, folder and environment, without their secrets."""

from __future__ import annotations

from mcp_host.core.definitions.secret_names import holds_no_literal, names_a_secret
from mcp_host.core.importing.arguments import concealed
from mcp_host.core.importing.draft import Draft, is_name, shown
from mcp_host.core.importing.json_kinds import kind_of, object_of, text_of, unfit
from mcp_host.core.importing.literal_secrets import find_secrets, secret_fallbacks
from mcp_host.core.importing.secret_variables import variable_name


def read_env(draft: Draft, value: object, *path: str | int) -> None:
    """Variables of the server. A literal secret goes into the variable of the same name in the person's environment."""
    variables = object_of(value)
    if variables is None:
        draft.refuse(path, f"must be an object of strings, not {kind_of(value)}.")
        return
    for name, raw in variables.items():
        text = text_of(raw)
        if not is_name(name):
            draft.refuse((*path, name), "is no name of a variable.")
        elif text is None and raw is not None:
            draft.refuse((*path, name), f"must be a string, not {unfit(raw)}.")
        elif raw in {None, ""} and draft.origins.dialect.inherits_empty:
            draft.env[name] = f"${{{variable_name(name)}}}"
        elif text is None:
            draft.note(f"`{shown(name)}` is null in env, and was left out.")
        else:
            draft.env[name] = _variable(draft, name, text, *path, name)
            draft.places["env"] = draft.place(*path)


def read_command(draft: Draft, value: object, *path: str | int) -> None:
    """The executable; read after the working directory."""
    text = draft.text(value, *path)
    if text is None:
        return
    command = concealed(draft, draft.translate(text, *path), *path)
    draft.set("command", draft.absolute(command, "The command") if "/" in command else command, *path)


def read_cwd(draft: Draft, value: object, *path: str | int) -> None:
    """The working directory."""
    text = draft.text(value, *path)
    if text:
        draft.set("cwd", draft.absolute(concealed(draft, draft.translate(text, *path), *path), "cwd"), *path)


def _variable(draft: Draft, name: str, text: str, *path: str | int) -> str:
    if draft.origins.dialect.inherits_empty and text.startswith("$:"):
        text = f"${{cmd:{text.removeprefix('$:')}}}"
    translated = draft.translate(text, *path, key=name)
    if names_a_secret(name):
        if holds_no_literal(translated):
            return translated
    elif not find_secrets(translated) and not secret_fallbacks(translated):
        return translated
    return draft.credential(translated, variable_name(name), *path)
