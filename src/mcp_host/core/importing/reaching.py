"""How another client reaches a server: its transport, URL, headers and authorization, without their secrets."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from mcp_host.core.definitions.secret_names import holds_no_literal, names_a_secret
from mcp_host.core.importing.arguments import concealed
from mcp_host.core.importing.draft import Draft, is_name, shown
from mcp_host.core.importing.json_kinds import array_of, kind_of, object_of, text_of, unfit
from mcp_host.core.importing.literal_secrets import after_scheme, find_secrets, secret_fallbacks
from mcp_host.core.importing.secret_variables import named_after


def read_transport(draft: Draft, value: object, *path: str | int) -> None:
    """What the client calls the transport; read after the target, which says it as a rule."""
    text = draft.text(value, *path)
    if text is None:
        return
    transport = _TRANSPORTS.get(re.sub(r"[^a-z]", "", text.lower()))
    if transport is None:
        draft.refuse(path, f"is {shown(text)}, which this host cannot speak: stdio, http and sse it can.")
    elif transport != "stdio" or "url" in draft.table:
        draft.set("transport", transport, *path)


def read_url(draft: Draft, value: object, *path: str | int) -> None:
    """The URL. A name and password before its host become a header, other secrets references."""
    text = draft.text(value, *path)
    if text is None:
        return
    url = draft.translate(text, *path)
    match = _USER_INFO.match(url)
    if match is not None:
        url = f"{match['scheme']}{url[match.end() :]}"
        name = draft.origins.variables.name_for(
            match["info"], named_after(draft.alias, "credentials"), alias=draft.alias
        )
        place = draft.place(*path)
        draft.need(name, place, f"""export {name}="$(printf %s 'name:password' | base64)"  # both are in {place}""")
        draft.headers["Authorization"] = f"Basic ${{{name}}}"
        draft.places["headers"] = place
        draft.note("The name and password before the host became the header Authorization.")
    draft.set("url", concealed(draft, url, *path), *path)


def read_headers(draft: Draft, value: object, *path: str | int) -> None:
    """Headers; `Authorization: Bearer …` becomes an authorization."""
    headers = object_of(value)
    if headers is None:
        draft.refuse(path, f"must be an object of strings, not {kind_of(value)}.")
        return
    for name, raw in headers.items():
        text = text_of(raw)
        if not is_name(name):
            draft.refuse((*path, name), "is no name of a header.")
        elif text is None and raw is not None:
            draft.refuse((*path, name), f"must be a string, not {unfit(raw)}.")
        elif text is not None:
            _header(draft, name, text, *path, name)
            draft.places.setdefault("headers", draft.place(*path))


def read_oauth(draft: Draft, value: object, *path: str | int) -> None:
    """A sign-in through the browser, with a client that was registered beforehand."""
    settings = object_of(value)
    if settings is None:
        if not isinstance(value, bool):
            draft.refuse(path, f"must be an object, not {kind_of(value)}.")
        return
    if (object_of(draft.table.get("authorization")) or {}).get("type") == "bearer":
        draft.note("The OAuth settings were left out: a token is given, and only one of the two can be.")
        return
    found: dict[str, object] = {}
    for key, raw in settings.items():
        role = _OAUTH.get(re.sub(r"[^a-z]", "", key.lower()))
        text = " ".join(texts) if (texts := _texts(raw)) is not None else text_of(raw)
        if role == "enabled":
            if raw is False:
                return
        elif role is None or text is None:
            draft.note(f"`{shown(key)}` of the OAuth settings has no counterpart here, and was left out.")
        else:
            translated = draft.translate(text, *path, key)
            if role == "client_secret" and not holds_no_literal(translated):
                translated = draft.credential(translated, named_after(draft.alias, "client_secret"), *path, key)
            found[role] = translated
    set_oauth(draft, found, *path)


def set_oauth(draft: Draft, found: dict[str, object], *path: str | int) -> None:
    """Adds to the OAuth authorization, where there is none by a token."""
    present = object_of(draft.table.get("authorization")) or {"type": "oauth"}
    if present["type"] != "oauth":
        return
    draft.set("authorization", {**present, **found}, *path)


def set_bearer(draft: Draft, token: str, *path: str | int) -> None:
    """A token of which only the reference is known."""
    draft.set("authorization", {"type": "bearer", "token": token}, *path)


def finish_reaching(draft: Draft) -> None:
    """What the fields of a server with a URL mean together. "http" goes without saying."""
    url, transport = draft.table.get("url"), draft.table.get("transport")
    if url is not None and transport == "http":
        del draft.table["transport"]
    if isinstance(url, str) and transport is None and _path(url).rstrip("/").endswith("/sse"):
        draft.table["transport"] = "sse"
        draft.note("The URL ends in /sse, so the older transport of that name is used; remove transport if it is not.")
    if "authorization" in draft.table and any(name.lower() == "authorization" for name in draft.headers):
        draft.headers = {name: value for name, value in draft.headers.items() if name.lower() != "authorization"}
        draft.note("The header Authorization was left out: the authorization sets it.")


def _header(draft: Draft, name: str, text: str, *path: str | int) -> None:
    is_authorization = name.lower() == "authorization"
    key = "token" if is_authorization else name
    translated = draft.translate(text, *path, key=key).strip()
    scheme, credential = after_scheme(translated)
    if is_authorization and scheme.strip().lower() == "bearer" and credential:
        if not holds_no_literal(credential):
            credential = draft.credential(credential, named_after(draft.alias, "token"), *path)
        set_bearer(draft, credential, *path)
        return
    if is_authorization or names_a_secret(name):
        if not holds_no_literal(translated):
            translated = scheme + draft.credential(credential, named_after(draft.alias, key), *path)
    elif find_secrets(translated) or secret_fallbacks(translated):
        translated = draft.credential(translated, named_after(draft.alias, name), *path)
    draft.headers[name] = translated


def _texts(value: object) -> list[str] | None:
    elements = array_of(value)
    return None if elements is None else [text for text in map(text_of, elements) if text is not None]


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


_TRANSPORTS: Final = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamablehttp": "http",
    "streamable": "http",
    "remote": "http",
    "sse": "sse",
}

_OAUTH: Final = {
    "enabled": "enabled",
    "clientid": "client_id",
    "clientsecret": "client_secret",
    "scope": "scope",
    "scopes": "scope",
}

_USER_INFO: Final = re.compile(r"(?P<scheme>https?://)(?P<info>[^/?#]*)@", re.IGNORECASE)
