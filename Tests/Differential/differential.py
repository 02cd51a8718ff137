"""Asks three implementations about the same responses, and holds their differences against DIFFERENCES.md.

    python differential.py VERDICT [COUNT]      COUNT of each mutation and algorithm; VERDICT is webauthn-verdict

From ten of each on, every row of the table has to be needed too.
"""

import collections
import copy
import pathlib
import random
import sys
from dataclasses import dataclass

import peers
from mutations import SIGNED, TAMPERED
from responses import EDDSA, ES256, EXTRA, RS256, Key, draft

SEED = 20260730
FULL = 10
TABLE = pathlib.Path(__file__).with_name("DIFFERENCES.md")


@dataclass(frozen=True, order=True)
class Difference:
    """What tells one class of differences from another: the verdicts, and what was changed about the response."""

    ceremony: str
    #: `accepted`, or the reason of the refusal.
    ours: str
    fido2: str
    webauthn: str
    #: A name of `SIGNED`; all of `TAMPERED` are one, as what a broken byte means depends on where it is.
    changed: str


def cases(count: int):
    """(mutation, ceremony, question): the first of each are the same for any count."""
    keys = {algorithm: Key(algorithm, random.Random(SEED + algorithm)) for algorithm in (ES256, EDDSA, RS256, *EXTRA)}
    for table, repeats in ((SIGNED, count), (TAMPERED, 6 * count)):
        for name, (ceremonies, algorithms, change) in table.items():
            for ceremony in ceremonies:
                for algorithm in algorithms:
                    for number in range(repeats):
                        rng = random.Random(f"{SEED} {name} {ceremony} {algorithm} {number}")
                        changed = draft(ceremony, copy.copy(keys[algorithm]), rng)
                        change(changed, rng)
                        yield name, ceremony, changed.question()


def difference(name: str, ceremony: str, ours: str, fido2: bool, webauthn: bool):
    """`None` where all agree."""
    if (ours == "accepted") == fido2 == webauthn:
        return None
    words = {True: "accepts", False: "refuses"}
    return Difference(ceremony, ours, words[fido2], words[webauthn], "tampering" if name in TAMPERED else name)


def explained() -> set:
    """The rows of the table, one for each ceremony and change that a row names."""
    rows = set()
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 7 or cells[2] not in ("accepts", "refuses"):
            continue
        ceremonies = ("registration", "authentication") if cells[0] == "both" else (cells[0],)
        for ceremony in ceremonies:
            rows |= {Difference(ceremony, *cells[1:4], changed) for changed in cells[4].split()}
    return rows


def run(binary: str, count: int):
    """-> (number of cases, how often each difference occurred)."""
    names, ceremonies, questions = zip(*cases(count))
    found = collections.Counter()
    for name, ceremony, question, ours in zip(names, ceremonies, questions, peers.ours(binary, questions)):
        verdicts = (peers.accepts(peers.fido2, question), peers.accepts(peers.webauthn, question))
        seen = difference(name, ceremony, ours, *verdicts)
        if seen is not None:
            found[seen] += 1
    return len(questions), found


def judge(rows: set, found: set, count: int):
    """-> (differences that no row explains, rows that explain none); too few cases don't show every difference."""
    return found - rows, rows - found if count >= FULL else set()


def describe(seen: Difference) -> str:
    return f"{seen.ceremony} | {seen.ours} | {seen.fido2} | {seen.webauthn} | {seen.changed}"


def main():
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else FULL
    total, found = run(binary, count)
    rows = explained()
    print(f"{total} responses, {found.total()} with different verdicts, in {len(found)} classes")
    for seen in sorted(found):
        print(f"{' ' if seen in rows else '!'} {found[seen]:5}  {describe(seen)}")
    unexplained, stale = judge(rows, set(found), count)
    for row in sorted(stale):
        print(f"?     0  {describe(row)}")
    if unexplained or stale:
        sys.exit(f"{TABLE.name}: {len(unexplained)} classes (!) are not explained, {len(stale)} rows (?) are stale")


if __name__ == "__main__":
    main()
