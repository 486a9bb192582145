"""Files that are no saved models, are damaged, or were made up with a right checksum: one error, nothing executed."""

from __future__ import annotations

import io
import json
import math
import pickle
import random
import sys
import tracemalloc
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import priorcase as pc
from priorcase.evaluation import ConformalClassifier
from priorcase.exceptions import PriorcaseError, ReadingError
from priorcase.saving import dump, load_bytes

X = [[0.0, "red"], [1.0, "blue"], [None, "red"], [2.0, "blue"], [0.5, "red"], [1.5, None]]
Y = ["a", "b", "a", "b", "a", "b"]
MODELS: dict[str, Any] = {
    "KNNClassifier": pc.KNNClassifier(1),
    "KNNClassifier with value tables": pc.KNNClassifier(1, distance="hvdm", attribute_weights="bayes"),
    "KNNClassifierCV": pc.KNNClassifierCV({"n_neighbors": (1, 2), "prior": (0.5, 1.0)}),
    "NaiveBayes": pc.NaiveBayes(),
    "TreeAveragedBayes": pc.TreeAveragedBayes(),
    "IB1": pc.IB1(history=True),
    "IB1 by first rows": pc.IB1(distance="hvdm"),
    "IB2": pc.IB2(distance="hvdm", per_class=True),
    "IB3": pc.IB3(random_state=0, history="replay"),
    "IB4": pc.IB4(random_state=0),
    "IB5": pc.IB5(random_state=0, history="replay"),
    "PEBLS": pc.PEBLS(),
    "RBFNetworkClassifier": pc.RBFNetworkClassifier(3),
    "MixtureModel": pc.MixtureModel(2, n_init=1, random_state=0),
    "LocallyWeightedClassifier": pc.LocallyWeightedClassifier(3),
    "AttributeSelector": pc.AttributeSelector(),
    "DROP3": pc.DROP3(2),
    "ConformalClassifier": ConformalClassifier(pc.KNNClassifier(1), folds=2),
}


def fitted(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MODELS[name].fit(X, Y)


def opened(data: bytes) -> tuple[Any, list[bytes]]:
    """The header and the arrays of a saved model."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header, *arrays = (archive.read(info) for info in archive.infolist())
    return json.loads(header), arrays


def sealed(entries: list[tuple[Any, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive with a right checksum."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names given twice
        with zipfile.ZipFile(file, "w", compression) as archive:
            for name, content in entries:
                archive.writestr(name, content)
            archive.comment = b"0" * 64
    return resealed(file.getvalue())


def resealed(data: bytes) -> bytes:
    return data[:-64] + sha256(data[:-64]).hexdigest().encode()


def made_up(header: Any, arrays: list[bytes]) -> bytes:
    """A saved model of a header and arrays, with a right checksum."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return sealed([("model.json", text), *((f"{i}.npy", array) for i, array in enumerate(arrays))])


def saying(saved: Any) -> bytes:
    return made_up({"format": 1, "priorcase": "0", "saved": saved}, [])


@pytest.fixture(scope="module")
def saved() -> bytes:
    return dump(fitted("KNNClassifier"))


# -- damage


def test_every_flipped_bit_and_every_cut_is_noticed(saved: bytes) -> None:
    chance = random.Random(0)
    for bit in [*range(40 * 8), *chance.sample(range(40 * 8, len(saved) * 8), 400), len(saved) * 8 - 1]:
        changed = bytearray(saved)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ReadingError):
            load_bytes(changed)
    for length in [*range(70), *chance.sample(range(70, len(saved)), 100)]:
        with pytest.raises(ReadingError):
            load_bytes(saved[:length])
    for other in (saved + b"\0", b"\0" + saved, saved + saved):
        with pytest.raises(ReadingError):
            load_bytes(other)


def test_other_files_are_refused(saved: bytes, tmp_path: Any) -> None:
    path = tmp_path / "mine.priorcase"
    png, old = b"\x89PNG\r\n\x1a\n" + bytes(100), b"\x89PCL\r\n\x1a\n" + bytes(100)
    for content in (b"", b"PK", b"\0" * 100, png, old, pickle.dumps(pc.KNNClassifier()), b"age,colour\n3,red\n"):
        path.write_bytes(content)
        with pytest.raises(ReadingError, match=r"mine\.priorcase is not a saved model"):
            pc.load(path)
    path.write_bytes(sealed([("sheet.xml", b"<a/>")])[:-64] + b"0" * 64)
    with pytest.raises(ReadingError, match=r"mine\.priorcase is damaged: checksum mismatch"):
        pc.load(path)
    with pytest.raises(ReadingError, match="is damaged"):
        load_bytes(sealed([("sheet.xml", b"<a/>")]))


@pytest.mark.parametrize(("number", "remedy"), [(0, "Fit the model again"), (9, "Update priorcase"), ("x", "Fit")])
def test_other_formats_are_refused(saved: bytes, number: Any, remedy: str) -> None:
    header, arrays = opened(saved)
    with pytest.raises(ReadingError, match=f"has format .*; this version reads format 1. {remedy}"):
        load_bytes(made_up(header | {"format": number}, arrays))


def test_names_that_occur_repeatedly_are_refused(saved: bytes) -> None:
    header, arrays = opened(saved)
    text = json.dumps(header)
    assert load_bytes(made_up(text.encode(), arrays)).predict(X).tolist() == Y
    repeated = text.replace('"n_neighbors": ', '"n_neighbors": 1, "n_neighbors": ', 1)
    assert repeated != text
    with pytest.raises(ReadingError, match="'n_neighbors' occurs more than once"):
        load_bytes(made_up(repeated.encode(), arrays))


# -- archives


def test_archives_that_zip_programs_disagree_about_are_refused(saved: bytes) -> None:
    header, arrays = opened(saved)
    entries: list[tuple[Any, bytes]] = [("model.json", json.dumps(header).encode())]
    entries += [(f"{i}.npy", array) for i, array in enumerate(arrays)]
    assert load_bytes(sealed(entries)).predict(X).tolist() == Y
    encrypted = bytearray(sealed(entries))
    at = encrypted.index(b"PK\x01\x02")
    encrypted[at + 8] |= 1
    for attack in (
        sealed(entries, zipfile.ZIP_DEFLATED),
        sealed([*entries, entries[0]]),
        sealed([*entries, entries[-1]]),
        sealed([*entries, ("../../evil.npy", b"")]),
        sealed([*entries, ("99.npy", arrays[0])]),
        sealed([*entries, (f"{len(arrays)}.npy", arrays[0])]),
        sealed(entries[1:]),
        sealed(entries[:-1]),
        sealed([("MODEL.JSON", entries[0][1]), *entries[1:]]),
        resealed(bytes(encrypted)),
        resealed(b"PK\x03\x04" + sealed(entries)),
    ):
        with pytest.raises(ReadingError, match="is damaged"):
            load_bytes(attack)


def test_sizes_that_were_made_up_take_no_memory(saved: bytes) -> None:
    header, arrays = opened(saved)
    bomb = sealed([("model.json", b" " * 30_000_000 + json.dumps(header).encode())], zipfile.ZIP_DEFLATED)
    large = bytearray(saved)
    at = large.rindex(b"PK\x01\x02")
    large[at + 20 : at + 28] = (2**31 - 2).to_bytes(4, "little") * 2
    at = next(i for i, array in enumerate(arrays) if numbers(array)[1].dtype == np.float64)
    claims = [("<f8", shape) for shape in ("(99999999999,)", "(0, 99999999999)", "(-1,)", "(3000000000, 3000000000)")]
    claims += [("<f8", "(1, 1, )"), ("<f8", "(1e9,)"), ("<f8", "(2, 3)"), ("<f8", "[6]"), ("<f8", "exit()")]
    claims += [(each, "(6,)") for each in ("|O", "<c16", "|V8", "<U0", "<U999999999", "<M8[D]", "|S0", "<f4")]
    attacks = [made_up(header, [*arrays[:at], headed(*claim, arrays[at][-48:]), *arrays[at + 1 :]]) for claim in claims]
    assert load_bytes(made_up(header, [*arrays[:at], headed("<f8", "(6,)", arrays[at][-48:]), *arrays[at + 1 :]]))
    for attack in (bomb, resealed(bytes(large)), *attacks):
        tracemalloc.start()
        with pytest.raises(ReadingError, match="is damaged"):
            load_bytes(attack)
        assert tracemalloc.get_traced_memory()[1] < 20 * len(attack) + 1_000_000
        tracemalloc.stop()


def test_an_array_belongs_to_one_place(saved: bytes) -> None:
    header, arrays = opened(saved)
    text = json.dumps(header)
    with pytest.raises(ReadingError, match="is damaged"):
        load_bytes(made_up(json.loads(text.replace('{"array": 1}', '{"array": 0}')), arrays))


# -- headers


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "antigravity",
        "eval",
        "Concept",
        "Instances",
        "KNNClassifier",
        "__class__",
        "_Rows",
        "",
        "Overlap\0",
    ],
)
def test_only_listed_names_are_looked_up(name: str) -> None:
    for header in ({name: {}}, {"model": {"class": name + "X", "parameters": {}, "state": None}}):
        with pytest.raises(ReadingError, match="names the class"):
            load_bytes(saying(header))
    with pytest.raises(ReadingError, match="names the class"):
        load_bytes(saying({"model": {"class": "Overlap", "parameters": {}, "state": None}}))
    assert "antigravity" not in sys.modules


MADE_UP: list[Any] = [
    3,
    None,
    [],
    "KNNClassifier",
    {},
    {"tuple": []},
    {"a": 1, "b": 2},
    {"model": None},
    {"model": {}},
    {"model": {"class": "KNNClassifier", "parameters": {}, "state": None}},
    {"model": {"class": "KNNClassifier", "parameters": {"__class__": 3}, "state": None}},
    {"model": {"class": ["KNNClassifier"], "parameters": {}, "state": None}},
    {"Numeric": {"x": 1}},
    {"Ordinal": {"order": 3}},
    {"Absolute": {"factor": -1.0}},
    {"Distance": {"numeric": 3}},
    {"dict": [[[], 1]]},
    {"dict": [[1]]},
    {"set": [[]]},
    {"array": 0},
    {"array": "0"},
    {"objects": ["O", [10**12], []]},
    {"objects": ["O", [-1], []]},
    {"objects": ["T", [1], [3]]},
    {"scalar": ["|V8", 3]},
    {"scalar": ["<U999999999", "x"]},
    {"dtype": "<U999999999"},
    {"dtype": "V8"},
    {"int": "zz"},
    {"int": "f" * 10_001},
    {"float": "0.5"},
    {"fraction": ["1", "0"]},
    {"decimal": "x"},
    {"decimal": "1e999999"},
    {"date": "2024-13-01"},
    {"range": [0, 10**9, 1]},
    {"random_state": ["00", 0, 0, 0.0]},
    {"random_state": ["00" * 2496, 9999, 0, 0.0]},
    {"rows": {}},
]


@pytest.mark.parametrize("header", MADE_UP, ids=lambda header: str(header)[:50])
def test_headers_that_were_made_up(header: Any) -> None:
    with pytest.raises(ReadingError, match="is damaged"):
        load_bytes(saying(header))


def test_json_that_was_made_up(saved: bytes) -> None:
    text, arrays = json.dumps(opened(saved)[0]), opened(saved)[1]
    deep = '{"tuple":[' * 100 + "]}" * 100
    for attack in (
        b"\xff\xfe",
        b"[" * 200_000,
        b"{}",
        b"[]",
        b'{"format": 1}',
        b'{"format": 1, "saved": %s}' % deep.encode(),
    ):
        with pytest.raises(ReadingError):
            load_bytes(made_up(attack, []))
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "1" * 5000):
        changed = text.replace('"n_neighbors": 1', f'"n_neighbors": {number}')
        assert changed != text
        with pytest.raises(ReadingError, match="is damaged"):
            load_bytes(made_up(changed.encode(), arrays))


@pytest.mark.parametrize("tag", ["set", "frozenset", "dict"])
def test_keys_of_the_same_hash_do_not_take_the_square_of_their_number(tag: str) -> None:
    keys = [{"int": f"{(2**61 - 1) * i:x}"} for i in range(1, 20_001)]
    with pytest.raises(ReadingError, match="colliding keys"):
        load_bytes(saying({tag: [[key, 0] for key in keys] if tag == "dict" else keys}))


# -- models


def numbers(array: bytes) -> tuple[bytes, Any]:
    """The header and the numbers of an ``.npy`` file."""
    size = 10 + int.from_bytes(array[8:10], "little")
    return array[:size], np.load(io.BytesIO(array)).copy(order="K")


def headed(descr: str, shape: str, body: bytes) -> bytes:
    """An ``.npy`` file with a header that was made up."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


def with_number(array: bytes, at: int, number: float) -> bytes:
    head, found = numbers(array)
    flat = found.ravel(order="A")
    flat[at] = number
    return head + flat.tobytes()


def use(model: Any) -> None:
    """Ask everything, learn and forget: errors of the library are fine here, others and crashes are not."""
    calls: list[tuple[str, Any]] = [
        ("predict", lambda: model.predict(X)),
        ("predict_proba", lambda: model.predict_proba(X)),
        ("transform", lambda: model.transform(X)),
        ("loo_predict_proba", lambda: model.loo_predict_proba()),
        ("precedents", lambda: model.precedents(X)),
        ("partial_fit", lambda: model.partial_fit(X[:2], Y[:2])),
        ("forget", lambda: model.forget(model.ids_[1:2])),
        ("predict", lambda: model.predict(X)),
        ("forget", lambda: model.forget(model.ids_[:2])),
        ("digest", lambda: model.digest()),
        ("history_", lambda: model.history_),
    ]
    for name, call in calls:
        if not hasattr(type(model), name):
            continue
        with warnings.catch_warnings(), suppress(PriorcaseError, NotFittedError):
            warnings.simplefilter("ignore")
            call()


@pytest.mark.parametrize(
    "name", ["IB1", "IB1 by first rows", "IB2", "IB3", "IB4", "IB5", "KNNClassifier", "NaiveBayes"]
)
def test_a_model_with_an_infinite_number_is_refused(name: str) -> None:
    header, arrays = opened(dump(fitted(name)))
    tried = 0
    for i, array in enumerate(arrays):
        if numbers(array)[1].dtype != np.float64:
            continue
        for at in range(numbers(array)[1].size):
            for number in (math.inf, -math.inf):
                with pytest.raises(ReadingError):
                    load_bytes(made_up(header, [*arrays[:i], with_number(array, at, number), *arrays[i + 1 :]]))
                tried += 1
    assert tried > 5


@pytest.mark.parametrize("name", MODELS)
def test_no_number_that_was_made_up_crashes_a_model(name: str) -> None:
    header, arrays = opened(dump(fitted(name)))
    chance = random.Random(name)
    for i, array in enumerate(arrays):
        found = numbers(array)[1]
        extreme: list[Any] = [math.nan, 1e308, -1.0, 0.5]
        if found.dtype.kind in "iu":
            extreme = [np.iinfo(found.dtype).max, np.iinfo(found.dtype).min, 0, 7]
        for number in extreme if found.dtype.kind in "iuf" and found.size else ():
            attack = [*arrays[:i], with_number(array, chance.randrange(found.size), number), *arrays[i + 1 :]]
            try:
                model = load_bytes(made_up(header, attack))
            except ReadingError:
                continue
            use(model)


@pytest.mark.parametrize("name", ["IB1 by first rows", "IB2"])
def test_a_fitted_distance_with_a_negative_factor_is_refused(name: str) -> None:
    header, arrays = opened(dump(fitted(name)))
    (terms,) = [
        value for key, value in header["saved"]["model"]["state"]["comparison"]["dict"] if key == "terms"
    ]  # pairs of a form and its fields
    fields = dict(terms[1]["tuple"][1]["dict"])
    i = fields["factors"]["array"]
    for number in (-1.0, -5e-324, 1e300):  # the distance would be NaN, and no instance the nearest one
        with pytest.raises(ReadingError, match="an invalid number"):
            load_bytes(made_up(header, [*arrays[:i], with_number(arrays[i], 1, number), *arrays[i + 1 :]]))


def test_a_tuned_model_of_another_class_or_with_other_parameters_is_refused() -> None:
    header, arrays = opened(dump(fitted("KNNClassifierCV")))
    header["saved"]["model"]["class"] = "KNNRegressorCV"
    with pytest.raises(ReadingError, match="targets of a different kind"):
        load_bytes(made_up(header, arrays))
    header["saved"]["model"]["class"] = "KNNClassifierCV"
    state = header["saved"]["model"]["state"]
    for seed in (-1, 1.5):
        state["seed"], kept = seed, state["seed"]
        with pytest.raises(ReadingError, match="an invalid seed"):
            load_bytes(made_up(header, arrays))
        state["seed"] = kept
    state["chosen"]["dict"][0][0] = "schema"
    with pytest.raises(ReadingError, match="unknown parameters"):
        load_bytes(made_up(header, arrays))


CODES = [-2, 2, 127]


@pytest.mark.parametrize("code", CODES)
def test_codes_ids_and_targets_are_checked(saved: bytes, code: int) -> None:
    header, arrays = opened(saved)
    for i, array in enumerate(arrays):
        if numbers(array)[1].dtype == np.int8:  # the codes of colours and of classes
            with pytest.raises(ReadingError, match="a code without a value"):
                load_bytes(made_up(header, [*arrays[:i], with_number(array, 0, code), *arrays[i + 1 :]]))
        if numbers(array)[1].dtype == np.int64:
            with pytest.raises(ReadingError, match="ids that are not ascending"):
                load_bytes(made_up(header, [*arrays[:i], with_number(array, 0, code), *arrays[i + 1 :]]))


def parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in some JSON, and the keys of it."""
    keys: Any = range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ()
    for key in keys:
        yield value, key
        yield from parts(value[key])


def mutant(chance: random.Random, header: Any, arrays: list[bytes]) -> bytes:
    """A saved model with one to three changes in its header or its arrays, and a right checksum."""
    header, arrays = json.loads(json.dumps(header)), list(arrays)
    for _ in range(chance.randint(1, 3)):
        if arrays and chance.random() < 0.5:
            i = chance.randrange(len(arrays))
            found = numbers(arrays[i])[1]
            if chance.random() < 0.2:
                raw = bytearray(arrays[i])
                raw[chance.randrange(len(raw))] = chance.randrange(256)
                arrays[i] = bytes(raw)
                break
            if found.size and found.dtype.kind == "f":
                number = chance.choice([math.inf, math.nan, -1.0, 0.0, 1e308, 5e-324, 2.0**53, chance.gauss(0, 9)])
                arrays[i] = with_number(arrays[i], chance.randrange(found.size), number)
            elif found.size and found.dtype.kind in "iu":
                info = np.iinfo(found.dtype)
                number = chance.choice([info.min, info.max, 0, 1, 2, chance.randint(info.min, info.max)])
                arrays[i] = with_number(arrays[i], chance.randrange(found.size), number)
            continue
        everything = list(parts(header["saved"]))
        inside, key = chance.choice(everything)
        other, its_key = chance.choice(everything)
        action = chance.random()
        if action < 0.2 and isinstance(inside, list):
            inside.pop(key)
        elif action < 0.3 and isinstance(inside, list):
            inside.insert(key, inside[key])
        elif action < 0.5:
            inside[key] = json.loads(json.dumps(other[its_key]))
        else:
            inside[key] = chance.choice(
                [None, -1, 0, 1, 2, 2**40, 2**62, "", "x", 0.5, -1e300, True, [], {"tuple": []}]
            )
    return made_up(header, arrays)


@pytest.mark.parametrize("tries", [25, pytest.param(1180, marks=pytest.mark.slow)])  # of each of 18 models
@pytest.mark.parametrize("name", MODELS)
def test_any_mutant_is_refused_or_harmless(name: str, tries: int) -> None:
    saved = opened(dump(fitted(name)))
    chance, refused = random.Random(f"{name} {tries}"), 0
    for _ in range(tries):
        try:
            model = load_bytes(mutant(chance, *saved))
        except ReadingError:
            refused += 1
            continue
        use(model)
    assert refused > tries // 5


# -- indexes


@pytest.mark.parametrize("name", ["KNNClassifier", "KNNClassifier with value tables", "KNNClassifierCV"])
def test_any_mutant_of_an_index_is_refused_or_harmless(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorcase.neighbors.base.WORTH_SAVING", 1)
    header, arrays = opened(dump(fitted(name)))
    index = {key: told["array"] for key, told in header["saved"]["model"]["state"]["index"]["dict"]}
    assert load_bytes(made_up(header, arrays)).predict(X).tolist() == fitted(name).predict(X).tolist()
    chance, refused = random.Random(name), 0
    extreme = {"f": [math.nan, math.inf, 1e308, -1.0, 0.5, 70.0], "u": [63, 64, 255], "i": [2**40, 2**62, -1, -(2**63)]}
    for key, i in index.items():
        found = numbers(arrays[i])[1]
        for number in [*extreme[found.dtype.kind], 0] if found.size else ():
            attack = [*arrays[:i], with_number(arrays[i], chance.randrange(found.size), number), *arrays[i + 1 :]]
            try:
                use(load_bytes(made_up(header, attack)))
            except ReadingError:
                refused += 1
        if key == "wide":
            continue
        other = {**index, key: index["wide"]}
        told = json.loads(json.dumps(header))
        told["saved"]["model"]["state"]["index"]["dict"] = [[name, {"array": i}] for name, i in other.items()]
        with pytest.raises(ReadingError, match="is damaged"):
            load_bytes(made_up(told, arrays))
    assert refused > len(index)


STATISTICS: list[Any] = [
    3,
    {"dict": [[{"tuple": ["range", 0]}, {"tuple": [1.0, 0.0]}]]},
    {"dict": [[{"tuple": ["range", 0]}, {"tuple": [0.0, {"float": "inf"}]}]]},
    {"dict": [[{"tuple": ["range", 7]}, {"tuple": [0.0, 1.0]}]]},
    {"dict": [[{"tuple": ["inliers", 0]}, {"tuple": [0.0, 1.0, 0.5]}]]},
    {"dict": [[{"tuple": ["deviation", 0]}, -1.0]]},
    {"dict": [[{"tuple": ["magic", 0]}, 1.0]]},
    {"dict": [["", 1.0]]},
]


@pytest.mark.parametrize("statistics", STATISTICS, ids=str)
def test_statistics_that_were_made_up(statistics: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorcase.neighbors.base.WORTH_SAVING", 1)
    header, arrays = opened(dump(fitted("KNNClassifier")))
    header["saved"]["model"]["state"]["statistics"] = statistics
    with pytest.raises(ReadingError, match="is damaged"):
        load_bytes(made_up(header, arrays))


# -- parts that are missing, too large or belong to something else


def state_of(header: Any) -> dict[str, Any]:
    state: dict[str, Any] = header["saved"]["model"]["state"]
    return state


def without(part: str) -> Any:
    return lambda header, arrays: state_of(header).pop(part)


def with_part(part: str, value: Any) -> Any:
    return lambda header, arrays: state_of(header).update({part: value})


def with_passes(header: Any, arrays: list[bytes]) -> None:
    header["saved"]["model"]["parameters"]["passes"] = 2**31 - 1


def with_large_ids(header: Any, arrays: list[bytes]) -> None:
    rows = state_of(header)["rows"]["rows"]
    at = rows["ids"]["array"]
    ids = numbers(arrays[at])[1]
    arrays[at] = with_number(arrays[at], ids.size - 1, 2**62 - 2)
    rows["next_id"] = 2**62 - 1


def with_the_largest_id(header: Any, arrays: list[bytes]) -> None:
    at = state_of(header)["rows"]["rows"]["ids"]["array"]
    arrays[at] = with_number(arrays[at], numbers(arrays[at])[1].size - 1, 2**63 - 1)


def with_half_a_code(header: Any, arrays: list[bytes]) -> None:
    at = dict(state_of(header)["network"]["dict"])["cells"]["array"]
    arrays[at] = with_number(arrays[at], numbers(arrays[at])[1].shape[0], 0.5)  # a colour; columns are contiguous


def with_many_uses(header: Any, arrays: list[bytes]) -> None:
    at = state_of(header)["records"]["tuple"][0]["array"]
    arrays[at] = with_number(arrays[at], 0, 2**63 - 1)


def with_huge_weights(header: Any, arrays: list[bytes]) -> None:
    of_a_class = state_of(header)["descriptions"][1]["tuple"][1]
    at = dict(of_a_class["dict"])["sums"]["array"]
    arrays[at] = with_number(arrays[at], 0, 1e308)


def with_another_class(header: Any, arrays: list[bytes]) -> None:
    state_of(header)["log"]["rows"]["columns"][-1][1][0] = "c"


NAMELESS = {"tuple": [{"tuple": [[1], {"Numeric": {}}]}]}
FORGERIES = {
    "KNNClassifier without labels": ("KNNClassifier", without("labels")),
    "NaiveBayes without labels": ("NaiveBayes", without("labels")),
    "PEBLS without labels": ("PEBLS", without("labels")),
    "LocallyWeightedClassifier without labels": ("LocallyWeightedClassifier", without("labels")),
    "RBFNetworkClassifier without labels": ("RBFNetworkClassifier", without("labels")),
    "RBFNetworkClassifier with half a code": ("RBFNetworkClassifier", with_half_a_code),
    "PEBLS of many passes": ("PEBLS", with_passes),
    "PEBLS used too often": ("PEBLS", with_many_uses),
    "IB1 without calls": ("IB1 by first rows", with_part("calls", {"tuple": []})),
    "IB3 without calls": ("IB3", with_part("calls", {"tuple": []})),
    "IB3 with a call without columns": ("IB3", with_part("calls", {"tuple": [{"tuple": [0, 0]}]})),
    "IB3 with a column without a name": ("IB3", with_part("calls", {"tuple": [{"tuple": [0, NAMELESS]}]})),
    "IB3 with a class in its history alone": ("IB3", with_another_class),
    "IB4 with huge weights": ("IB4", with_huge_weights),
    "LocallyWeightedClassifier with ids far apart": ("LocallyWeightedClassifier", with_large_ids),
    "LocallyWeightedClassifier with the largest id": ("LocallyWeightedClassifier", with_the_largest_id),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forgeries_that_failed_only_in_predict(forgery: str) -> None:
    name, forge = FORGERIES[forgery]
    header, arrays = opened(dump(fitted(name)))
    assert load_bytes(made_up(header, arrays)).predict(X).size == len(X)
    forge(header, arrays)
    with pytest.raises(ReadingError):
        load_bytes(made_up(header, arrays))


def test_a_regressor_without_the_shape_of_its_targets() -> None:
    header, arrays = opened(dump(pc.KNNRegressor(1).fit(X, range(6))))
    state_of(header).pop("flat")
    with pytest.raises(ReadingError):
        load_bytes(made_up(header, arrays))
