"""What was forgotten is in no file of the base any more: every window of twelve bytes of it is searched for."""

import sqlite3
import string
from random import Random

import pytest

from priorcase.cases.storage import Declaration, NewCase, Store

DECLARATION = Declaration([("first", {"kind": "text"}), ("second", {"kind": "text"})])
WINDOW = 12


class Tokens:
    """Random texts that share no window of bytes with anything else, and which case each was written for."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.of = {}

    def text(self, id, length=None):
        size = length or self.random.choice([16, 16, 16, 40, 40, 200, 900, 5000])
        text = "".join(self.random.choices(string.ascii_letters + string.digits, k=size))
        self.of.setdefault(id, []).append(text.encode())
        return text

    def case(self, id):
        """A case with a text of its own in every field; keys are indexed, so they stay below a page."""
        key = self.text(id, self.random.choice([16, 60, 900])) if self.random.random() < 0.7 else None
        values = [self.text(id), self.text(id) if self.random.random() < 0.5 else None]
        return NewCase(values, f'"{self.text(id)}"', f'["{self.text(id)}"]', key, self.text(id))


def windows(data):
    return {data[place : place + WINDOW] for place in range(len(data) - WINDOW + 1)}


def left_of(folder, texts):
    """How many windows of some texts any file of a folder has."""
    there = windows(b"\0".join(path.read_bytes() for path in folder.iterdir()))
    return sum(window in there for text in texts for window in windows(text))


def work(base, tokens, steps):
    """Add, revise, use, learn and forget in random order; returns the ids of all cases that were forgotten."""
    random, live, gone, last = tokens.random, [], [], 0
    for _ in range(steps):
        what = random.choice(["add", "add", "add", "revise", "use", "learn", "forget"]) if live else "add"
        with base.writing() as writer:
            if what == "add":
                for _ in range(random.randint(1, 5)):
                    last += 1
                    case = tokens.case(last)
                    assert writer.insert([case], by=tokens.text(last), why=tokens.text(last)) == [last]
                    live.append(last)
            elif what == "revise":
                id = random.choice(live)
                writer.replace(id, tokens.case(id), by=tokens.text(id), why=tokens.text(id))
            elif what == "use":
                id = random.choice(live)
                writer.record_use([id], detail=f'"{tokens.text(id)}"', by=tokens.text(id), why=tokens.text(id))
                writer.retire([id], by=tokens.text(id), why=tokens.text(id))
            elif what == "learn":
                id = random.choice(live)
                state = tokens.text(id, 5000).encode()
                writer.put_learner(f"learner {random.randrange(3)}", "{}", state=state, fitted_on=[id])
            else:
                ids = random.sample(live, min(len(live), random.randint(1, 3)))
                assert writer.delete(ids, by="desk", why="asked for") == sorted(ids)
                gone += ids
                live = [id for id in live if id not in ids]
    return live, gone


@pytest.mark.parametrize("seed", range(2))
def test_no_byte_of_a_forgotten_case_is_left(tmp_path, seed):
    path, tokens = tmp_path / "base.priorcase", Tokens(seed)
    with Store.open(path, create=DECLARATION) as base:
        live, gone = work(base, tokens, 40)
        with base.writing() as writer:
            gone += writer.delete(live[:1])
        forgotten = [text for id in gone for text in tokens.of[id]]
        assert len(gone) > 5
        base.backup(tmp_path / "backup.priorcase")
        assert left_of(tmp_path, forgotten) == 0
        assert base.verify() == []
        assert left_of(tmp_path, [base.fetch(live[1:])[0].solution.encode()]) > 0  # the search finds what is there
    with Store.open(path) as base, base.writing() as writer:
        writer.delete(live)
    (tmp_path / "backup.priorcase").unlink()
    assert left_of(tmp_path, [text for texts in tokens.of.values() for text in texts]) == 0


def test_deleting_alone_would_leave_bytes():
    """Why files are written anew: SQLite's secure_delete leaves copies of rows that it has moved between pages."""
    left = 0
    for seed in range(8):
        random, rows, id = Random(seed), {}, 0
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("CREATE TABLE cases (id INTEGER PRIMARY KEY, data TEXT)")
        for _ in range(300):
            if rows and random.random() < 0.5:
                gone = random.choice(list(rows))
                connection.execute("DELETE FROM cases WHERE id = ?", (gone,))
                text, data = rows.pop(gone).encode(), connection.serialize()
                left += text[:WINDOW] in data or text[-WINDOW:] in data
            else:
                id += 1
                rows[id] = "".join(random.choices(string.ascii_letters, k=random.choice([20, 200, 900])))
                connection.execute("INSERT INTO cases VALUES (?, ?)", (id, rows[id]))
        connection.close()
    assert left > 0


def test_what_stays_of_a_forgotten_case_is_when(tmp_path):
    with Store.open(tmp_path / "base.priorcase", create=DECLARATION) as base:
        with base.writing() as writer:
            writer.insert([NewCase(["a"], key="k", note="n"), NewCase(["b"])], by="ann", why="ticket")
        with base.writing() as writer:
            writer.replace(1, NewCase(["c"], key="other"), by="bob", why="typo")
            writer.record_use([1, 2], helped=True, by="bob")
            writer.put_learner("both", '{"k":1}', state=b"s", fitted_on=[1, 2])
            writer.put_learner("second", '{"k":2}', state=b"t", fitted_on=[2])
            writer.put_learner("unknown", '{"k":3}', state=b"u")
        with base.writing() as writer:
            assert writer.delete([1, 1, 99], by="ann", why="asked for") == [1]
        steps = [(event.action, event.by, event.why) for event in base.history(1)]
        nothing = (None, None)
        assert steps == [
            ("added", *nothing),
            ("revised", *nothing),
            ("used", *nothing),
            ("forgotten", "ann", "asked for"),
        ]
        assert [event.by for event in base.history(2)] == ["ann", "bob"]
        assert [use.id for use in base.uses()] == [2]
        assert base.uses([1]) == []
        assert base.fetch([1]) == []
        kept = [(learner.name, learner.recipe, learner.state, learner.fitted_on) for learner in base.learners()]
        assert kept == [
            ("both", '{"k":1}', None, (2,)),
            ("second", '{"k":2}', b"t", (2,)),
            ("unknown", '{"k":3}', None, None),
        ]
        with base.writing() as writer:
            assert writer.find_keys(["k", "other"]) == {}
            assert writer.insert([NewCase(["d"], key="k")]) == [3]  # ids are never used again
        assert base.verify() == []


def test_ids_are_never_used_again(tmp_path):
    path = tmp_path / "base.priorcase"
    with Store.open(path, create=DECLARATION) as base, base.writing() as writer:
        assert writer.insert([NewCase(["a"]), NewCase(["b"])]) == [1, 2]
        writer.delete([1, 2])
        assert writer.insert([NewCase(["c"])]) == [3]
        writer.delete([3])
    with Store.open(path) as base, base.writing() as writer:
        assert writer.insert([NewCase(["d"])]) == [4]
