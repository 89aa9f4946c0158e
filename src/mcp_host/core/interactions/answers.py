"""Raw answers that a program wrote, from Lua or from a script's file, held against what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_host.core.catalog.json_values import as_array, as_object
from mcp_host.core.interactions.answer_faults import AnswerFault, answer_refused
from mcp_host.core.interactions.concealed import NOTHING_CONCEALED, Concealing
from mcp_host.core.interactions.content import check_content
from mcp_host.core.interactions.form import read_form
from mcp_host.core.interactions.json_content import json_fault
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import Answers, accepted_form, accepted_url
from mcp_host.core.interactions.toml_spelling import spoken_key
from mcp_host.core.strict_json import JsonRefused, read_json


class Misfit(Exception):
    """An answer does not fit its request; each fault is a sentence's rest after the request's name."""

    def __init__(self, *faults: str) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


def read_answers(asked: Asked, answers: object, *, concealing: Concealing = NOTHING_CONCEALED) -> Answers:
    """The answer to every request but those for roots, which are not a person's to answer.

    Args:
        asked: As the server asked it.
        answers: An object by key, or its JSON text; for a lone request its answer alone will do.
        concealing: How it was shown to whoever wrote the answers.

    Raises:
        ProblemError: `arguments-invalid`, with the key of each answer that is missing, unknown or does not fit.
    """
    wanted = {one.key: one for one in asked.requests if one.kind != "roots"}
    given = _by_key(wanted, _read(asked, answers) if isinstance(answers, str) else answers)
    if given is None:
        raise answer_refused(
            asked, [AnswerFault(message="The answers must be an object: what is answered to each key.")]
        )
    faults = [AnswerFault(message=f"{spoken_key(key)} is nothing that was asked") for key in given if key not in wanted]
    read: dict[str, Mapping[str, Any]] = {}
    for key, request in wanted.items():
        try:
            read[key] = read_raw_answer(request, given[key], concealing=concealing) if key in given else _missing()
        except Misfit as error:
            faults += [AnswerFault(message=f"{spoken_key(key)}: {fault}") for fault in error.faults]
    if faults:
        raise answer_refused(asked, faults)
    return read


def read_raw_answer(
    request: InputRequest, answer: object, *, concealing: Concealing = NOTHING_CONCEALED
) -> Mapping[str, Any]:
    """The answer as it may be sent: an ElicitResult, CreateMessageResult or ListRootsResult.

    Raises:
        Misfit: it is none, or does not fit what is asked for.
    """
    said = as_object(answer)
    if said is None:
        raise Misfit("the answer must be an object")
    if (fault := json_fault(said)) is not None:
        raise Misfit(f"the answer {fault}")
    match request.kind:
        case "form" | "url":
            return _elicited(request, said, concealing)
        case "sampling":
            return _checked_completion(said)
        case "roots":
            return _checked_roots(said)
        case None:
            raise Misfit("nobody here knows how to answer this")


def checked_form(
    request: InputRequest, content: Mapping[str, object], concealing: Concealing = NOTHING_CONCEALED
) -> dict[str, Any]:
    """The content, accepted.

    Raises:
        Misfit: it does not fit the form.
    """
    restored, hidden = concealing.restored(request, content)
    form = read_form(request.params.get("requestedSchema"))
    faults = [str(fault) for fault in check_content(form, restored) if fault.field not in hidden]
    if faults or hidden:
        raise Misfit(*(f"{spoken_key(name)} {words}" for name, words in hidden.items()), *faults)
    return accepted_form(restored)


def _checked_completion(result: Mapping[str, object]) -> dict[str, Any]:
    """A completion that a server can read.

    Raises:
        Misfit: it is none.
    """
    blocks = as_array(result.get("content"))
    blocks = [result.get("content")] if blocks is None else blocks
    model, stop = result.get("model"), result.get("stopReason")
    faults = [
        *([] if result.get("role") == "assistant" else ['role must be "assistant"']),
        *([] if isinstance(model, str) and model else ["model must be the name of what generated it"]),
        *([] if stop is None or isinstance(stop, str) else ["stopReason must be text"]),
        *(
            []
            if blocks and all(map(_is_block, blocks))
            else ["content must be a block such as {type, text}, or several"]
        ),
    ]
    if faults:
        raise Misfit(*faults)
    return dict(result)


def _checked_roots(result: Mapping[str, object]) -> dict[str, Any]:
    """A list of folders that a server can read.

    Raises:
        Misfit: it is none.
    """
    roots = as_array(result.get("roots"))
    if roots is None or not all(_is_root(as_object(root) or {}) for root in roots):
        raise Misfit("roots must be a list of objects, each with a uri that begins with file://")
    return dict(result)


def _elicited(request: InputRequest, said: Mapping[str, object], concealing: Concealing) -> Mapping[str, Any]:
    action = said.get("action")
    unknown = [name for name in said if name not in ("action", "content", "_meta")]
    if unknown:
        raise Misfit(f"{spoken_key(unknown[0])} is no member of an answer: it has an action and a content")
    if action in ("decline", "cancel"):
        return {"action": action}
    if action != "accept":
        raise Misfit('action must be "accept", "decline" or "cancel"')
    content = said.get("content")
    if request.kind == "url":
        if content:
            raise Misfit("content must be left out: what is asked for is a visit")
        return accepted_url()
    if content is None or content == []:  # an empty table of Lua crosses as a list
        return checked_form(request, {}, concealing)
    members = as_object(content)
    if members is None:
        raise Misfit("content must be an object")
    return checked_form(request, members, concealing)


def _read(asked: Asked, text: str) -> object:
    try:
        return read_json(text)
    except JsonRefused as error:
        message = f"The answers cannot be read as JSON: at {error.line}:{error.column}, {error.reason}"
        raise answer_refused(asked, [AnswerFault(message=message)]) from error


def _by_key(wanted: Mapping[str, InputRequest], answers: object) -> Mapping[str, object] | None:
    given = as_object(answers)
    if given is None or len(wanted) != 1:
        return given
    key = next(iter(wanted))
    is_lone = "action" in given or "role" in given
    return {key: given} if is_lone and key not in given else given


def _missing() -> Mapping[str, Any]:
    raise Misfit("there is no answer to it")


def _is_block(block: object) -> bool:
    said = as_object(block) or {}
    return isinstance(said.get("type"), str) and (said["type"] != "text" or isinstance(said.get("text"), str))


def _is_root(root: Mapping[str, object]) -> bool:
    uri = root.get("uri")
    return isinstance(uri, str) and uri.startswith("file://")
