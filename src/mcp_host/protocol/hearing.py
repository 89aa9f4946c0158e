"""What a server says unasked, told to our half of the connection. A notification that is malformed is not heard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from mcp_host.core.subscriptions import ListKind
from mcp_host.protocol.client_side import ClientSide
from mcp_host.protocol.session import Notifications

_LISTS: Final[Mapping[str, ListKind]] = {
    "notifications/tools/list_changed": "tools",
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}


def hear_words(side: ClientSide, notifications: Notifications) -> None:
    """The side hears log messages, changed resources and ended visits to URLs from now on."""
    notifications.listen("notifications/message", partial(_hear_message, side))
    notifications.listen("notifications/resources/updated", partial(_hear_update, side))
    notifications.listen("notifications/elicitation/complete", partial(_hear_completion, side))


def hear_list_changes(notifications: Notifications, hear: Callable[[ListKind], None]) -> None:
    """Whatever list changes from now on, `hear` is called with its kind."""
    for method, kind in _LISTS.items():
        notifications.listen(method, partial(_hear_list, hear, kind))


def _hear_message(side: ClientSide, params: Mapping[str, Any]) -> None:
    level, logger = params.get("level"), params.get("logger")
    if isinstance(level, str) and isinstance(logger, str | None) and "data" in params:
        side.on_log(level, logger, params["data"])


def _hear_update(side: ClientSide, params: Mapping[str, Any]) -> None:
    if isinstance(uri := params.get("uri"), str):
        side.on_resource_updated(uri)


def _hear_completion(side: ClientSide, params: Mapping[str, Any]) -> None:
    if isinstance(elicitation := params.get("elicitationId"), str):
        side.on_url_completed(elicitation)


def _hear_list(hear: Callable[[ListKind], None], kind: ListKind, _params: Mapping[str, Any]) -> None:
    hear(kind)
