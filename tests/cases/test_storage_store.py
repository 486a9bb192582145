"""The file of a case base against plain dictionaries, and each of its operations alone."""

from random import Random

import pytest

from benchmarks.crash.model import Model, perform, some_operation
from priorcase.cases.storage import Declaration, Event, NewCase, Step, Store
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError, UnknownIdError

DECLARATION = Declaration([("first", {"kind": "nominal"}), ("second", {"kind": "nominal"})], {"weights": [1, 2]})


@pytest.fixture
def base(tmp_path):
    with Store.open(tmp_path / "base.priorcase", create=DECLARATION) as store:
        yield store


@pytest.mark.parametrize("seed", range(3))
def test_random_operations_agree_with_plain_dictionaries(base, seed):
    random, model, last = Random(seed), Model(DECLARATION), base.load().step
    for step in range(60):
        operation = some_operation(random, model)
        with base.writing() as writer:
            perform(operation, writer)
            made = list(writer.changes)
        model.apply(operation)
        assert base.changes_since(last) == made
        last = base.load().step if step % 2 else (made[-1].step if made else last)
        assert last.sequence == len(model.history)
        if step % 6 == 0:
            assert model.differs(base) is None
    assert model.differs(base) is None
    assert base.verify() == []
    with Store.open(base.path, readonly=True) as again:
        assert model.differs(again) is None
    base.backup(base.path.with_name("copy.priorcase"))
    with Store.open(base.path.with_name("copy.priorcase")) as copy:
        assert model.differs(copy) is None
        assert copy.verify() == []


def test_values_come_back_as_they_were_given(base):
    values = [("é\0☃", 1), (True, 1.0), (10**30, -0.5), (("a", 2, ()), None), (1e-300, "1"), ("", False)]
    with base.writing() as writer:
        ids = writer.insert([NewCase(pair, '{"a":[1,2]}', "null") for pair in values])
    loaded = base.load()
    for given, column, case in zip(values, zip(*loaded.columns, strict=True), base.fetch(ids), strict=True):
        assert [(value, type(value)) for value in column] == [(value, type(value)) for value in given]
        assert case.values == given
    assert (loaded.solutions[0], loaded.outcomes[0]) == ('{"a":[1,2]}', "null")


def test_the_same_key_is_one_case(base):
    with base.writing() as writer:
        assert writer.insert([NewCase(["a"], key="k"), NewCase(["b"], key="k"), NewCase(["c"])]) == [1, 1, 2]
    with base.writing() as writer:
        assert writer.insert([NewCase(["d"], key="k")]) == [1]
        assert writer.changes == []
        assert writer.find_keys(["k", "other"]) == {"k": 1}
        assert writer.insert([NewCase(["e"], key="")]) == [3]
    assert base.load().columns[0] == ("a", "c", "e")
    with pytest.raises(CaseBaseError, match="The key 'k' belongs to case 1"), base.writing() as writer:
        writer.replace(2, NewCase(["c"], key="k"))
    with base.writing() as writer:
        writer.replace(1, NewCase(["f"], key="k"))


def test_a_transaction_is_all_or_nothing(base):
    with base.writing() as writer:
        writer.insert([NewCase(["a"])])
    before = base.load()

    def interrupted(error):
        with base.writing() as writer:
            writer.insert([NewCase(["b"])])
            writer.delete([1])
            assert base.fetch([2])[0].values == ("b", None)  # seen from within
            if error is not None:
                raise error
            writer.replace(9, NewCase(["b"]))

    for raised in (KeyboardInterrupt(), OSError("of another file")):
        with pytest.raises(type(raised)):
            interrupted(raised)
        assert base.load() == before
    with pytest.raises(UnknownIdError, match="id 9, but no case has this id"):
        interrupted(None)
    assert base.load() == before
    with pytest.raises(CaseBaseBusyError, match="during another change"), base.writing(), base.writing():
        pass
    with pytest.raises(CaseBaseBusyError, match="during another change"), base.writing():
        base.backup(base.path.with_name("copy.priorcase"))
    assert base.load() == before


def test_texts_that_cannot_be_stored(base):
    for case in (NewCase(["\ud800"]), NewCase(["a"], note="\ud800"), NewCase(["a"], key="\ud800")):
        with pytest.raises(CaseBaseFileError, match="lone surrogate"), base.writing() as writer:
            writer.insert([case])
    with pytest.raises(ValueError, match="not JSON compliant"), base.writing() as writer:
        writer.insert([NewCase([float("nan")])])
    assert base.load().ids == []


def test_a_text_beyond_what_sqlite_holds(base):
    if not hasattr(base._connection, "setlimit"):
        pytest.skip("this Python cannot lower the limit")
    base._connection.setlimit(0, 10_000)
    with pytest.raises(CaseBaseFileError, match="string is too long"), base.writing() as writer:
        writer.insert([NewCase(["x" * 20_000])])
    assert base.load().ids == []
    assert base.verify() == []


def test_attributes_may_come_go_and_change_places(base):
    with base.writing() as writer:
        writer.insert([NewCase(["a", "b"]), NewCase(["c"])])
    wider = Declaration([*DECLARATION.attributes, ("third", {"kind": "set"})])
    with base.writing() as writer:
        writer.declare(wider, by="ann", why="new")
        writer.insert([NewCase(["d", "e", ("f",)])])
    assert base.load().columns == [("a", "c", "d"), ("b", None, "e"), (None, None, ("f",))]
    moved = Declaration([("third", {"kind": "set"}), ("first", {"kind": "text"})])
    with base.writing() as writer:
        writer.declare(moved)
    assert base.load().columns == [(None, None, ("f",)), ("a", "c", "d")]
    assert base.load().declaration == moved
    assert base.verify() == []


def test_retiring_and_uses(base):
    with base.writing() as writer:
        writer.insert([NewCase(["a"]), NewCase(["b"])])
        assert writer.retire([1, 1, 7]) == [1]
        assert writer.retire([1, 2]) == [2]
        assert writer.unretire([2, 7]) == [2]
        assert writer.record_use([2, 9], helped=False, detail="3", by="ann") == [2]
    assert base.load().retired == [True, False]
    assert [case.retired for case in base.fetch([2, 1])] == [False, True]
    (use,) = base.uses([2])
    assert (use.id, use.helped, use.detail, use.by) == (2, False, "3", "ann")
    assert [event.action for event in base.history(2)] == ["added", "retired", "unretired", "used"]


def test_learners(base):
    with base.writing() as writer:
        writer.insert([NewCase(["a"]), NewCase(["b"])])
        writer.put_learner("nearest", "{}", state=b"1", fitted_on=[1, 2])
        writer.put_learner("nearest", '{"k":2}', state=b"2", fitted_on=[2], by="ann")
    (learner,) = base.learners()
    assert (learner.name, learner.recipe, learner.state, learner.fitted_on) == ("nearest", '{"k":2}', b"2", (2,))
    with pytest.raises(CaseBaseFileError, match=r"was fitted to \(missing: 3\)"), base.writing() as writer:
        writer.put_learner("late", "{}", state=b"3", fitted_on=[1, 3])
    with base.writing() as writer:
        assert writer.drop_learner("nearest")
        assert not writer.drop_learner("nearest")
    assert base.learners() == []
    assert base.verify() == []


def test_a_closed_and_a_read_only_base(base):
    with Store.open(base.path, readonly=True) as reader:
        with pytest.raises(CaseBaseError, match="readonly=True"):
            reader.writing().__enter__()
        assert reader.verify() == []
    reader.close()
    with pytest.raises(CaseBaseError, match="is closed"):
        reader.load()


def test_a_backup_never_overwrites(base):
    for taken in (base.path, base.path.parent):
        with pytest.raises(CaseBaseFileError, match="exists already"):
            base.backup(taken)
    with pytest.raises(CaseBaseFileError, match="there is no folder"):
        base.backup(base.path.parent / "nowhere" / "copy.priorcase")


def test_a_backup_is_as_private_as_the_base(base):
    base.path.chmod(0o600)
    copy = base.path.with_name("copy.priorcase")
    base.backup(copy)
    assert copy.stat().st_mode & 0o777 == 0o600


def test_settings_of_the_connection(base):
    base.load()
    for name, expected in [
        ("journal_mode", "truncate"),
        ("synchronous", 2),
        ("secure_delete", 1),
        ("temp_store", 2),
        ("cell_size_check", 1),
        ("trusted_schema", 0),
        ("mmap_size", 0),
        ("busy_timeout", 5000),
        ("page_size", 4096),
        ("auto_vacuum", 0),
    ]:
        assert base._connection.execute(f"PRAGMA {name}").fetchone() == (expected,), name


def test_changes_say_what_happened(base):
    with base.writing() as writer:
        writer.insert([NewCase(["a"])])
        writer.declare(DECLARATION)
    created, at = Step(1, base.history()[0].at), base.history()[1].at
    assert base.changes_since(created) == [
        Event(2, at, "added", 1, None, None),
        Event(3, at, "declared", None, None, None),
    ]
    assert base.changes_since(Step(3, at)) == []


def test_a_step_of_another_history_is_noticed(base):
    with base.writing() as writer:
        writer.insert([NewCase(["a"])])
    last = base.load().step
    assert base.changes_since(last) == []
    assert base.changes_since(last._replace(sequence=last.sequence + 1)) is None
    assert base.changes_since(last._replace(at="2000-01-01T00:00:00.000+00:00")) is None
