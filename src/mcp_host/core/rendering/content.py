"""What a server sent back, as parts in the order in which they came: tool results, resource contents, prompt messages.

It reads the raw object and refuses nothing: the effect of a call has happened by the time its result is here, so an odd
result must still be seen. What no reader here knows becomes an `unknown` part that shows the block's own JSON and names
the fault. It does not check an output schema, and it writes no file: attachments carry their bytes until the host has
saved them and filled `path`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from mcp_host.core.catalog.json_values import as_array, as_object, as_text
from mcp_host.core.rendering.attachments import decoded_base64
from mcp_host.core.rendering.caps import sized
from mcp_host.core.rendering.json_text import indented_json, safe_json
from mcp_host.core.rendering.repetition import repeated_texts
from mcp_host.core.rendering.text import safe_line, safe_lines

PartKind = Literal["text", "json", "attachment", "link", "resource", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Part:
    """One thing to show."""

    kind: PartKind
    lines: tuple[str, ...] = ()
    """Safe lines. An attachment and a link have one line, which names it."""
    label: str = ""
    """A safe line to show above: a message's role, a resource's uri. Empty where the part needs none."""
    uri: str | None = None
    """Raw, for a link to follow or the resource that this is."""
    mime: str | None = None
    """Raw, as the server claims it."""
    size: int | None = None
    """In bytes; what the server claims in the case of a link."""
    data: bytes | None = field(default=None, repr=False)
    """An attachment's bytes."""
    path: str | None = None
    """Where the host saved an attachment; None until it has."""
    fault: str | None = None
    """What is wrong with this part, for a person, as a safe line."""


def render_content(result: Mapping[str, object]) -> tuple[Part, ...]:
    """The parts of a `tools/call`, `resources/read` or `prompts/get` result. Raises nothing, whatever the shape."""
    if "contents" in result and "content" not in result:
        return tuple(part for item in _listed(result["contents"]) for part in _resource_parts(item, shown_as="text"))
    if "messages" in result and "content" not in result:
        return _prompt_parts(result)
    return _tool_parts(result)


def part_faults(parts: Sequence[Part]) -> tuple[str, ...]:
    """The faults of the parts, each with the position of its part (from 1)."""
    return tuple(f"part {position}: {part.fault}" for position, part in enumerate(parts, start=1) if part.fault)


def saved(part: Part, path: str) -> Part:
    """The attachment, now in this file; its bytes are let go."""
    return replace(part, path=path, data=None)


def _tool_parts(result: Mapping[str, object]) -> tuple[Part, ...]:
    blocks = _listed(result.get("content"))
    structured = result.get("structuredContent")
    if structured is None:
        absent = "content" not in result and "structuredContent" not in result
        missing = [Part(kind="unknown", lines=safe_json(result), fault="the result has no content")] if absent else []
        return (*missing, *(part for block in blocks for part in _block_parts(block)))
    shown = Part(kind="json", lines=safe_json(structured))
    texts = {at: text for at, block in enumerate(blocks) if (text := _text_of(block)) is not None}
    repeated = repeated_texts(texts, structured)
    if repeated.better == "text":
        return tuple(part for block in blocks for part in _block_parts(block))
    parts: list[Part] = []
    for at, block in enumerate(blocks):
        if at not in repeated.positions:
            parts.extend(_block_parts(block))
        elif at == min(repeated.positions):
            parts.append(shown)
    return tuple(parts) if repeated.positions else (*parts, replace(shown, label="structuredContent"))


def _prompt_parts(result: Mapping[str, object]) -> tuple[Part, ...]:
    parts: list[Part] = []
    if description := as_text(result.get("description")):
        parts.append(Part(kind="text", label="description", lines=safe_lines(description)))
    for item in _listed(result["messages"]):
        message = as_object(item)
        if message is None or "content" not in message:
            parts.append(_unknown(item, "not a prompt message"))
            continue
        role = safe_line(as_text(message.get("role")) or "(no role)")
        for block in _listed(message["content"]):
            for part in _block_parts(block):
                parts.append(replace(part, label=f"{role} · {part.label}" if part.label else role))
    return tuple(parts)


def _listed(value: object) -> Sequence[object]:
    """The items of a list; anything else stands for a list of itself, and nothing for an empty one."""
    if value is None:
        return ()
    items = as_array(value)
    return (value,) if items is None else items


def _block_parts(block: object) -> Iterator[Part]:
    fields = as_object(block)
    kind = fields.get("type") if fields is not None else None
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if fields is None or kind is None:
        yield _unknown(block, "a content block without a type")
    elif reader is None:
        yield _unknown(block, f"unknown content type {safe_line(str(kind))}, shown as it came")
    else:
        yield from reader(fields)


def _text_parts(block: Mapping[str, object]) -> Iterator[Part]:
    text = _text_of(block)
    if text is None:
        yield _unknown(block, "a text block whose text is no string")
    elif _is_compact_json(text):
        lines = indented_json(text)
        yield Part(kind="json" if len(lines) > 1 else "text", lines=lines)
    else:
        yield Part(kind="text", lines=safe_lines(text))


def _text_of(block: object) -> str | None:
    fields = as_object(block) or {}
    text = fields.get("text")
    return text if fields.get("type") == "text" and isinstance(text, str) else None


def _is_compact_json(text: str) -> bool:
    """Whether it is on one line and looks like a JSON container; text that somebody laid out stays as it is."""
    bare = text.strip()
    return bare[:1] in ("{", "[") and bare[-1:] in ("}", "]") and "\n" not in bare


def _media_parts(block: Mapping[str, object]) -> Iterator[Part]:
    yield _attachment(block, block.get("data"), str(block["type"]))


def _link_parts(block: Mapping[str, object]) -> Iterator[Part]:
    uri = as_text(block.get("uri"))
    if uri is None:
        yield _unknown(block, "a resource link without a uri")
        return
    mime = as_text(block.get("mimeType"))
    size = block.get("size")
    size = size if isinstance(size, int) and not isinstance(size, bool) else None
    name = as_text(block.get("title")) or as_text(block.get("name"))
    words = [name, uri, mime, sized(size) if size is not None else None, as_text(block.get("description"))]
    line = safe_line(" · ".join(word for word in words if word))
    yield Part(kind="link", lines=(line,), uri=uri, mime=mime, size=size)


def _embedded_parts(block: Mapping[str, object]) -> Iterator[Part]:
    yield from _resource_parts(block.get("resource"), shown_as="resource")


def _resource_parts(item: object, *, shown_as: PartKind) -> Iterator[Part]:
    resource = as_object(item)
    if resource is None or ("text" not in resource and "blob" not in resource):
        yield _unknown(item, "a resource without text or blob")
        return
    uri = as_text(resource.get("uri"))
    mime = as_text(resource.get("mimeType"))
    label = safe_line(" · ".join(word for word in (uri or "(no uri)", mime) if word))
    if "text" in resource:
        text = resource["text"]
        if isinstance(text, str):
            yield Part(kind=shown_as, lines=safe_lines(text), label=label, uri=uri, mime=mime)
        else:
            yield _unknown(resource, "a resource whose text is no string")
    if "blob" in resource:
        yield replace(_attachment(resource, resource["blob"], "blob"), label=label, uri=uri)


def _attachment(block: Mapping[str, object], encoded: object, kind: str) -> Part:
    data = decoded_base64(encoded) if isinstance(encoded, str) else None
    if data is None:
        return _unknown(block, f"{kind} data that is not base64, shown as it came")
    mime = as_text(block.get("mimeType"))
    line = safe_line(f"{kind} · {mime or 'type not given'} · {sized(len(data))}")
    return Part(kind="attachment", lines=(line,), mime=mime, size=len(data), data=data)


def _unknown(block: object, fault: str) -> Part:
    return Part(kind="unknown", lines=safe_json(block), fault=fault)


_READERS: Final[Mapping[str, Callable[[Mapping[str, object]], Iterator[Part]]]] = {
    "text": _text_parts,
    "image": _media_parts,
    "audio": _media_parts,
    "resource": _embedded_parts,
    "resource_link": _link_parts,
}
