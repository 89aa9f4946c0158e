"""How long a result may be used again, and by whom."""

from __future__ import annotations

import math

import pytest

from mcp_host.core.caching import (
    LONGEST_TTL_MS,
    UNANNOUNCED_SECONDS,
    CacheHint,
    cache_hint,
    is_within,
    list_fresh_seconds,
    soonest,
    weight,
)


@pytest.mark.behaviour("caching.ttl")
@pytest.mark.parametrize(
    ("ttl", "kept_ms"),
    [
        (60000, 60000),
        (1.9, 1),
        (0, 0),
        (-1, 0),
        (None, 0),
        ("60000", 0),
        (True, 0),
        ([1], 0),
        (math.nan, 0),
        (math.inf, LONGEST_TTL_MS),
        (10**400, LONGEST_TTL_MS),
        (LONGEST_TTL_MS + 1, LONGEST_TTL_MS),
    ],
)
def test_a_ttl_is_a_number_of_milliseconds_within_a_day_or_none_at_all(ttl: object, kept_ms: int) -> None:
    hint = cache_hint({"resultType": "complete", "ttlMs": ttl}, era="modern")
    assert (hint.ttl_ms, hint.is_cacheable) == (kept_ms, kept_ms > 0)


def test_a_result_without_a_ttl_is_old_at_once() -> None:
    assert cache_hint({"contents": []}, era="modern") == CacheHint(ttl_ms=0, scope="private")


@pytest.mark.behaviour("caching.scope")
@pytest.mark.parametrize("scope", ["private", "Public", "shared", None, ["public"], True])
def test_only_what_is_called_public_is_for_everybody(scope: object) -> None:
    assert cache_hint({"ttlMs": 5, "cacheScope": scope}, era="modern") == CacheHint(ttl_ms=5, scope="private")
    assert cache_hint({"ttlMs": 5, "cacheScope": "public"}, era="modern") == CacheHint(ttl_ms=5, scope="public")


@pytest.mark.behaviour("caching.complete-only")
@pytest.mark.parametrize("kind", ["input_required", "task", "weird", None])
def test_only_a_complete_result_may_be_kept(kind: object) -> None:
    assert not cache_hint({"resultType": kind, "ttlMs": 60000}, era="modern").is_cacheable
    assert cache_hint({"ttlMs": 60000}, era="modern").is_cacheable


def test_a_legacy_server_gives_no_hints() -> None:
    assert not cache_hint({"ttlMs": 60000, "cacheScope": "public"}, era="legacy").is_cacheable


@pytest.mark.behaviour("caching.lists")
@pytest.mark.parametrize(
    ("ttls", "announced", "seconds"),
    [
        ([60000], True, 60.0),
        ([60000, 2000, 9000], False, 2.0),
        ([60000, 0], True, None),
        ([0], True, None),
        ([0], False, UNANNOUNCED_SECONDS),
        ([], False, UNANNOUNCED_SECONDS),
    ],
)
def test_a_list_is_as_fresh_as_the_page_that_is_old_first(
    ttls: list[int], announced: bool, seconds: float | None
) -> None:
    pages = [{"resultType": "complete", "ttlMs": ttl} for ttl in ttls]
    assert list_fresh_seconds(pages, era="modern", announced=announced) == seconds


def test_a_list_of_a_legacy_server_is_fresh_until_it_says_otherwise() -> None:
    assert list_fresh_seconds([{"ttlMs": 1}], era="legacy", announced=False) is None


def test_the_soonest_of_several_times_leaves_out_those_that_never_come() -> None:
    assert (soonest([None, 3.0, 2.0]), soonest([None]), soonest([])) == (2.0, None, None)


def test_the_weight_of_a_result_grows_with_its_texts_and_its_values() -> None:
    empty: dict[str, object] = {"contents": []}
    text, many = {"contents": [{"text": "x" * 1000}]}, {"contents": [0] * 1000}
    assert weight(empty) < 100
    assert 1000 < weight(text) < 1200
    assert weight(many) > 10_000


@pytest.mark.parametrize(
    ("kept", "changed", "concerned"),
    [
        ("file:///a", "file:///a", True),
        ("file:///a", "file:///a/b.txt", True),
        ("file:///a/", "file:///a/b.txt", True),
        ("file:///a", "file:///ab", False),
        ("file:///a/b.txt", "file:///a", False),
    ],
)
def test_a_change_below_a_resource_is_a_change_of_it(kept: str, changed: str, concerned: bool) -> None:
    assert is_within(kept, changed) is concerned
