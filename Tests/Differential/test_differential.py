"""A few hundred responses, in every run of the tests; `make differential` asks about thousands."""

import os
import pathlib

import differential

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("WEBAUTHN_VERDICT", str(ROOT / ".build/debug/webauthn-verdict"))


def test_the_table_explains_every_difference():
    total, found = differential.run(BINARY, count=1)
    assert total > 1_000
    assert set(found) - differential.explained() == set()


def test_every_row_of_the_table_is_read():
    """A misspelt name would explain nothing, and nobody would see it."""
    rows = differential.explained()
    known = set(differential.SIGNED) | {"tampering"}
    assert len(rows) > 100
    assert {row.changed for row in rows} <= known


def test_what_is_not_changed_is_accepted_by_all():
    untouched = [question for name, _, question in differential.cases(count=3) if name == "nothing"]
    assert len(untouched) == 18
    assert set(differential.peers.ours(BINARY, untouched)) == {"accepted"}
    for question in untouched:
        assert differential.peers.accepts(differential.peers.fido2, question)
        assert differential.peers.accepts(differential.peers.webauthn, question)


def test_what_every_format_and_algorithm_makes_is_accepted_by_us():
    well = [question for name, _, question in differential.cases(count=1) if name.endswith("-well")]
    assert len(well) == 7 + 2 * 9
    assert set(differential.peers.ours(BINARY, well)) == {"accepted"}


def test_a_row_that_nothing_leads_to_is_stale():
    row = differential.Difference("registration", "accepted", "accepts", "refuses", "nothing")
    seen = differential.Difference("registration", "accepted", "refuses", "accepts", "nothing")
    assert differential.judge({row, seen}, {seen}, differential.FULL) == (set(), {row})
    assert differential.judge({row, seen}, {seen}, 1) == (set(), set())
    assert differential.judge({row}, {seen}, 1) == ({seen}, set())
