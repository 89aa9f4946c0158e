"""Resources that may be shown again without asking."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_host.host.read_cache import Kept, ReadCache

URI = "config://app"
PLACE = "https://a.example"


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def result(
    text: str = "1", /, *, scope: str = "private", ttl_ms: int = 60000, kind: str = "complete"
) -> dict[str, Any]:
    """A ReadResourceResult."""
    return {"resultType": kind, "contents": [{"uri": URI, "text": text}], "ttlMs": ttl_ms, "cacheScope": scope}


def kept(cache: ReadCache, *uris: str) -> list[bool]:
    """Which of them may be used again."""
    return [cache.get("web", uri, "one", place=PLACE) is not None for uri in uris or (URI,)]


def put(
    cache: ReadCache, raw: dict[str, Any], uri: str = URI, *, place: str | None = PLACE, mark: int | None = None
) -> None:
    """Somebody has read from the server `web`."""
    cache.put("web", uri, "one", raw, place=place, mark=mark)


@pytest.mark.behaviour("caching.ttl")
def test_a_result_is_used_again_until_its_time_is_over() -> None:
    clock = Clock()
    cache = ReadCache(clock=clock)
    assert kept(cache) == [False]
    put(cache, raw := result(ttl_ms=1500))
    clock.now += 1
    assert cache.get("web", URI, "one") == Kept(raw=raw, age_seconds=1)
    clock.now += 0.5
    assert kept(cache) == [False]


@pytest.mark.behaviour("caching.scope")
def test_a_private_result_is_for_the_authorization_that_read_it() -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result("secret"))
    assert cache.get("web", URI, "two", place=PLACE) is None
    assert cache.get("web", URI, "one", place=PLACE)


@pytest.mark.behaviour("caching.scope")
def test_a_public_result_outlives_a_reconnect_with_another_authorization() -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result(scope="public"))
    assert cache.get("web", URI, "two", place=PLACE)


@pytest.mark.parametrize("place", ["https://b.example", None])
def test_a_public_result_is_not_that_of_a_server_elsewhere(place: str | None) -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result(scope="public"))
    assert cache.get("web", URI, "two", place=place) is None


def test_without_a_place_a_public_result_is_for_who_read_it() -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result(scope="public"), place=None)
    assert cache.get("web", URI, "one")
    assert cache.get("web", URI, "two") is None


def test_a_place_that_looks_like_an_identity_is_none() -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result(scope="public"), place="two")
    assert cache.get("web", URI, "two", place="elsewhere") is None


@pytest.mark.behaviour("caching.key")
@pytest.mark.parametrize(("alias", "uri"), [("web", "config://other"), ("other", URI)])
def test_a_result_answers_the_request_that_it_came_from_and_no_other(alias: str, uri: str) -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result())
    assert cache.get(alias, uri, "one", place=PLACE) is None


def test_what_was_read_anew_replaces_what_was_known_also_where_it_is_not_kept() -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result("old", scope="public"))
    put(cache, new := result("new"))
    assert cache.get("web", URI, "one", place=PLACE) == Kept(raw=new, age_seconds=0)
    assert cache.get("web", URI, "two", place=PLACE) is None
    put(cache, result("newest", ttl_ms=0))
    assert kept(cache) == [False]


@pytest.mark.behaviour("caching.complete-only")
def test_an_interim_result_is_not_kept() -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result(kind="input_required"))
    assert kept(cache) == [False]


@pytest.mark.behaviour("caching.invalidated")
def test_an_announced_change_makes_old_what_it_concerns_and_nothing_else() -> None:
    cache = ReadCache(clock=Clock())
    uris = ("file:///a", "file:///a/b", "file:///c")
    for uri in uris:
        put(cache, result(), uri)
    cache.forget("other", "file:///c")
    assert kept(cache, *uris) == [True, True, True]
    cache.forget("web", "file:///a/b")
    assert kept(cache, *uris) == [False, False, True]


@pytest.mark.behaviour("caching.invalidated")
def test_a_changed_list_makes_all_resources_of_the_server_old() -> None:
    cache = ReadCache(clock=Clock())
    put(cache, result(scope="public"))
    cache.forget_server("other")
    assert kept(cache) == [True]
    cache.forget_server("web")
    assert kept(cache) == [False]


@pytest.mark.behaviour("caching.invalidated")
def test_a_change_while_a_read_is_under_way_counts_against_its_result() -> None:
    cache = ReadCache(clock=Clock())
    cache.forget("web", "config://third")  # before the reads
    mark = cache.mark()
    cache.forget("web", URI)
    for uri in (URI, "config://other", "config://third"):
        put(cache, result(), uri, mark=mark)
    assert kept(cache, URI, "config://other", "config://third") == [False, True, True]


def test_a_read_during_which_too_much_changed_is_not_kept() -> None:
    cache = ReadCache(clock=Clock())
    mark = cache.mark()
    cache.forget("web", URI)
    for number in range(1000):
        cache.forget("web", f"config://{number}")
    put(cache, result(), mark=mark)
    assert kept(cache) == [False]


def test_the_result_that_was_not_used_for_longest_makes_room() -> None:
    cache = ReadCache(clock=Clock(), entry_cap=2)
    put(cache, result(), "x:a")
    put(cache, result(), "x:b")
    assert kept(cache, "x:a") == [True]
    put(cache, result(), "x:c")
    assert kept(cache, "x:a", "x:b", "x:c") == [True, False, True]


def test_results_that_are_too_large_together_make_room_and_one_that_is_too_large_alone_is_not_kept() -> None:
    cache = ReadCache(clock=Clock(), total_cap_bytes=5000, entry_cap_bytes=3000)
    for uri in ("x:a", "x:b"):
        put(cache, result("t" * 2500), uri)
    assert kept(cache, "x:a", "x:b") == [False, True]
    put(cache, result("t" * 3000), "x:c")
    assert kept(cache, "x:b", "x:c") == [True, False]


def test_results_whose_time_is_over_make_room_first() -> None:
    clock = Clock()
    cache = ReadCache(clock=clock, entry_cap=2)
    put(cache, result(ttl_ms=60000), "x:a")
    put(cache, result(ttl_ms=1000), "x:b")
    clock.now += 1
    put(cache, result(), "x:c")
    assert kept(cache, "x:a", "x:c") == [True, True]
