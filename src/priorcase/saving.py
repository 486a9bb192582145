"""Saving of fitted models to files or bytes.

A saved model contains the class, the parameters and the rows of the model, and results that are slow to recompute. The
file is a zip archive without compression, with these parts:

- ``model.json``: a format number, the class by its public name, the parameters, and the fitted state. Strategies
  such as ``Overlap()`` are written with their public name and fields.
- ``0.npy``, ``1.npy``, ...: the arrays that ``model.json`` refers to by number, each aligned to 64 bytes.
- The comment at the end of the archive: the SHA-256 of all preceding bytes.

A large file is memory-mapped, so that processes share the arrays of rows and indexes; other arrays are copied.

Loading never executes code from the file. Class names are looked up only in the tables `MODELS` and `STRATEGIES`.
Strategies are created by their constructors, which check the fields. A model checks its parameters and its fitted state
when it is restored.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
import zipfile
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib import import_module
from io import BytesIO
from mmap import mmap
from pathlib import Path
from typing import IO, Any, TypeAlias, cast
from zlib import crc32

import numpy as np

from priorcase._files import check_path, json_object, map_file, whole_file
from priorcase._typing import AnyArray
from priorcase.exceptions import ReadingError, UnsupportedDataError, prefix_errors, quoted
from priorcase.instances import Instances
from priorcase.schema import Schema

FORMAT = 1
Bytes: TypeAlias = bytes | bytearray | memoryview | mmap

MODELS = {
    "stacking": "StackedClassifier StackedRegressor",
    "neighbors": "KNNClassifier KNNRegressor KNNTransformer KNNClassifierCV KNNRegressorCV",
    "local": "LocallyWeightedRegressor LocallyWeightedClassifier RBFNetworkRegressor RBFNetworkClassifier",
    "bayes": "NaiveBayes SubsetAveragedBayes TreeAveragedBayes TreeAugmentedBayes SuperParentAveragedBayes AODE "
    "MixtureModel",
    "concepts": "IB1 IB2 IB3 IB4 IB5 PEBLS",
    "selection": "AttributeSelector",
    "reduction": "CNN RNN ENN RENN AllKNN DROP1 DROP2 DROP3 DROP4 DROP5 ICF",
    "evaluation": "ConformalClassifier ConformalRegressor",
}
STRATEGIES = {
    "schema": "Numeric Ordinal Nominal Circular Date Text Set Taxonomy Schema",
    "similarity": "Distance Absolute CircularDifference DateDifference TextDifference SetDifference "
    "TaxonomyDifference Overlap Levels ValueTable ValueDifference "
    "Discretized Interpolated Windowed "
    "Gaussian Tricube Epanechnikov Biweight Triangular Uniform Exponential InversePower",
    "relevance": "Bayes GainRatio MutualInformation Relief LeaveOneOutWeights",
    "bayes": "Auto BDeu Dirichlet Laplace MEstimate PerAttribute KeepZeros Cap ParamFloor CutPoints EqualFrequency "
    "EqualWidth KMeansBins MDL TwoWay Student GaussianDensity KernelDensity",
    "local": "LocalLinear LocalLogistic LocalNaiveBayes",
}

MADE_UP = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError)
"""Errors that a forged file can cause, besides the errors of `zipfile`."""

MAPPED = 64 * 2**20
"""Minimum size in bytes of files that are memory-mapped."""

_HEADER, _CHECKSUM = "model.json", 64
_LARGE = 2**20  # minimum size in bytes of an array in a mapped file whose checksum is verified only on demand
_CACHE_LINE, _PADDING = 64, 0xD935  # zipalign's id for such padding
_LOCAL = struct.Struct("<4s22x2H")  # the fields before the name of an entry
_IN_PLACE = ("rows", "index")  # parts of a model's state whose arrays are not copied
_DEEPEST = 60  # maximum depth of nested containers
_LONGEST = 10_000  # maximum number of digits of a number
_MOST_RANGE = 10_000_000  # maximum length of a range
_MOST_ALIKE = 1_000  # maximum number of keys with the same hash, which are all compared with each other
_LARGE_INT = 2**63
_TEXTS: Any = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else None  # NumPy 2

_DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|[US][0-9]{1,9})")
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<>|=A-Za-z0-9]+)', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9]*(?:, ?[0-9]+)*,?)\), \} *\n",
    re.DOTALL,
)


# -- files and bytes


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Save a model to a file atomically; see `load`."""
    check_model(model)
    path = check_path(path)
    content = _Content(model, type(model).__name__)
    with whole_file(path, overwrite=True) as file:
        content.write(file)
    return path


@prefix_errors
def load(path: str | os.PathLike[str], *, verify: bool = False) -> Any:
    """Load a model that was saved with ``model.save(path)``.

    The loaded model gives the same predictions as the saved model and can be updated. Loading never executes code from
    the file. A file that is damaged, or that is not a saved model, raises `ReadingError`.

    A file of 64 MiB or more is memory-mapped, so it opens at once, and all processes that load the file share one copy
    of the rows and the index. The method ``save`` replaces an existing file instead of changing it, so models that are
    already loaded are not affected. Do not modify or truncate the file by other means.

    Parameters
    ----------
    path
        Path of the file.
    verify
        Whether to compare all bytes of a memory-mapped file with its checksum, which reads the whole file. Without
        ``verify``, the structure is checked, but not every number. Smaller files are always verified.

    Examples
    --------
    >>> import tempfile
    >>> import priorcase as pc
    >>> model = pc.NaiveBayes().fit([["red"], ["blue"]], ["stop", "go"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = model.save(f"{folder}/lights.priorcase")
    ...     pc.load(path).predict([["red"]])
    array(['stop'], dtype='<U4')
    """
    path = check_path(path)
    if path.is_dir():
        raise ReadingError(f"{quoted(str(path))} is a folder; expected a file saved with model.save(path).")
    return load_bytes(map_file(path, MAPPED), source=str(path), verify=verify)


def dump(model: Any) -> bytes:
    """Return a model as bytes; equal models give equal bytes."""
    check_model(model)
    return pack(model, type(model).__name__)


def load_bytes(data: Bytes, *, source: str = "The saved model", verify: bool = True) -> Any:
    """Return the model from bytes that `dump` returned; ``source`` names these bytes in error messages."""
    model = unpack(data, source=source, verify=verify)
    if type(model).__name__ not in _homes(models=True):
        raise damaged(source, "it contains no model")
    return model


def check_model(model: object) -> None:
    """Raise an error if an object is not a model of priorcase."""
    if _public_name(type(model), models=True) is None:
        kind = type(model).__qualname__
        advice = "Models of other libraries and custom subclasses cannot be saved."
        if hasattr(model, "learner"):
            advice = "Save its .learner, or store it in a case base with CaseBase.fit(learner, name=...)."
        raise UnsupportedDataError(f"got a {kind}; expected a model of priorcase. {advice}")


def pack(value: object, name: str) -> bytes:
    """Return a model, or a dictionary that contains a model, as bytes; error messages call the object ``name``."""
    file = BytesIO()
    _Content(value, name).write(file)
    return file.getvalue()


class _Content:
    """Content of a file to be written; arrays of rows and indexes are shared with the model, not copied."""

    def __init__(self, value: object, name: str) -> None:
        writer = _Writer()
        header = {
            "format": FORMAT,
            "priorcase": import_module("priorcase").__version__,
            "saved": writer.encode(value, name),
        }
        self.header = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
        self.arrays = writer.arrays

    def write(self, file: IO[bytes]) -> None:
        """Write the archive to an empty file that is also open for reading."""
        with zipfile.ZipFile(file, "w") as archive:
            self._add(archive, file, _HEADER, self.header)
            for number, array in enumerate(self.arrays):
                self._add(archive, file, f"{number}.npy", *_npy(array))
            archive.comment = b"0" * _CHECKSUM
        size, digest = file.tell() - _CHECKSUM, sha256()
        file.seek(0)
        for start in range(0, size, _LARGE):
            digest.update(file.read(min(_LARGE, size - start)))
        file.seek(size)
        file.write(digest.hexdigest().encode())

    @staticmethod
    def _add(archive: zipfile.ZipFile, file: IO[bytes], name: str, *parts: Any) -> None:
        info = zipfile.ZipInfo(name)  # dated 1980, so that equal models have equal bytes
        info.create_system, info.file_size = 3, sum(map(len, parts))
        zip64 = info.file_size * 1.05 > zipfile.ZIP64_LIMIT
        header = _LOCAL.size + len(name) + 4 + (20 if zip64 else 0)  # with the headers of the padding and of zip64
        padding = -(file.tell() + header) % _CACHE_LINE
        info.extra = struct.pack("<HH", _PADDING, padding) + bytes(padding)
        with archive.open(info, "w", force_zip64=zip64) as entry:
            for part in parts:
                entry.write(part)


def _npy(array: AnyArray) -> tuple[bytes, Any]:
    """Return the two parts of an ``.npy`` file: the header, padded to a multiple of 64 bytes, and the array's bytes."""
    header, described = BytesIO(), np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(header, described)
    flat = np.ascontiguousarray(array.T if described["fortran_order"] else array).reshape(-1)
    return header.getvalue(), flat.view(np.uint8).data if flat.nbytes else b""


def unpack(data: Bytes, *, source: str, verify: bool = True) -> Any:
    """Return the object that `pack` converted to ``data``; raise `ReadingError` for any other bytes."""
    if not isinstance(data, bytes | mmap):
        data = bytes(data)
    if data[:4] != b"PK\x03\x04":
        raise ReadingError(f"{source} is not a saved model. Pass a file written by model.save(path).")
    verify = verify or isinstance(data, bytes)
    if verify and sha256(memoryview(data)[:-_CHECKSUM]).hexdigest().encode() != data[-_CHECKSUM:]:
        raise damaged(source, "checksum mismatch")
    try:
        entries = _entries(data, verify)
        text = bytes(entries.pop(_HEADER))
        header = json.loads(text, parse_float=_finite, parse_constant=_finite, object_pairs_hook=json_object)
        found = header["format"]
        if found != FORMAT:
            remedy = "Update priorcase" if isinstance(found, int) and found > FORMAT else "Fit the model again"
            raise ReadingError(f"{source} has format {quoted(found)}; this version reads format {FORMAT}. {remedy}.")
        reader = _Reader([entries.pop(f"{number}.npy") for number in range(len(entries))])
        with np.errstate(all="ignore"):
            value = reader.decode(header["saved"])
        if reader.arrays:
            raise ValueError("the file contains unused arrays")
        return value
    except ReadingError as error:
        if error.args[0].startswith(source):
            raise
        raise damaged(source, str(error.args[0])) from error
    except (zipfile.BadZipFile, struct.error, EOFError, *MADE_UP) as error:
        raise damaged(source, f"its content is not valid ({type(error).__name__}: {str(error)[:200]})") from error


def damaged(source: str, reason: str) -> ReadingError:
    return ReadingError(f"{source} is damaged: {reason}. Nothing was loaded; use a copy, or fit the model again.")


def _entries(data: bytes | mmap, verify: bool) -> dict[str, memoryview]:
    """Return the entries of a zip archive as views of its bytes; raise an error if the archive is damaged."""
    found = dict[str, memoryview]()
    with zipfile.ZipFile(BytesIO(data) if isinstance(data, bytes) else cast(Any, data)) as archive:
        infos, comment = archive.infolist(), archive.comment
    if len(comment) != _CHECKSUM or data[-_CHECKSUM:] != comment:
        raise ValueError("the archive is truncated")
    if any(info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1 for info in infos):
        raise ValueError("an entry is compressed or encrypted")
    if infos[0].header_offset:
        raise ValueError("the file does not start with an entry")
    if sum(info.file_size for info in infos) > len(data) or len({info.filename for info in infos}) < len(infos):
        raise ValueError("two entries overlap or have the same name")
    for info in infos:
        mark, name_size, extra_size = _LOCAL.unpack_from(data, info.header_offset)
        name = info.header_offset + _LOCAL.size
        start = name + name_size + extra_size
        if mark != b"PK\x03\x04" or data[name : name + name_size] != info.filename.encode("ascii"):
            raise ValueError("an entry has a wrong offset")
        if info.compress_size != info.file_size or start + info.file_size > len(data) - _CHECKSUM:
            raise ValueError("an entry extends beyond the end of the file")
        content = memoryview(data)[start : start + info.file_size]
        if (verify or len(content) < _LARGE or info.filename == _HEADER) and crc32(content) != info.CRC:
            raise ValueError("checksum mismatch of an entry")
        found[info.filename] = content
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    return number


# -- public classes by name


@cache
def _homes(*, models: bool) -> dict[str, str]:
    """Return a mapping from the name of each public model class, or of each strategy class, to its package."""
    return {name: home for home, names in (MODELS if models else STRATEGIES).items() for name in names.split()}


def _class_of(name: object, *, models: bool) -> Any:
    """Return the model or strategy class with a given name; raise ``ReadingError`` for any other name."""
    home = _homes(models=models).get(name) if isinstance(name, str) else None
    if home is None:
        what = "model" if models else "strategy"
        raise ReadingError(f"it names the class {quoted(name)}, which is not a {what} of priorcase")
    return getattr(import_module(f"priorcase.{home}"), str(name))


def strategy_named(name: str) -> type[Any] | None:
    """Return the strategy class with a public name such as ``BDeu``, or None if the name is unknown."""
    return _class_of(name, models=False) if name in _homes(models=False) else None


def _public_name(kind: type, *, models: bool) -> str | None:
    """Return the public name of a model or strategy class, or None for any other class."""
    name = kind.__name__
    return name if name in _homes(models=models) and _class_of(name, models=models) is kind else None


# -- values as JSON: literals, lists, and ``{tag: content}`` for everything else


def _moment(moment: datetime | time) -> list[Any]:
    return [moment.isoformat(), moment.fold]


_PLAIN: dict[type, tuple[str, Callable[[Any], Any]]] = {
    bytes: ("bytes", lambda value: b64encode(value).decode()),
    range: ("range", lambda value: [value.start, value.stop, value.step]),
    Decimal: ("decimal", str),
    Fraction: ("fraction", lambda value: [f"{value.numerator:x}", f"{value.denominator:x}"]),
    date: ("date", date.isoformat),
    datetime: ("datetime", _moment),
    time: ("time", _moment),
    timedelta: ("timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
}
_PLAIN_AGAIN: dict[str, Callable[[Any], Any]] = {
    "int": lambda told: int(_short(told), 16),
    "float": lambda told: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[told],
    "bytes": lambda told: b64decode(told, validate=True),
    "range": lambda told: _moderate(range(*told)),
    "decimal": lambda told: _exact(Decimal(_short(told))),
    "fraction": lambda told: Fraction(*(int(_short(part), 16) for part in told)),
    "date": date.fromisoformat,
    "datetime": lambda told: datetime.fromisoformat(told[0]).replace(fold=told[1]),
    "time": lambda told: time.fromisoformat(told[0]).replace(fold=told[1]),
    "timedelta": lambda told: timedelta(*told),
    "dtype": lambda told: _scalar_dtype(told),
}
_CONTAINERS: dict[type, str] = {tuple: "tuple", set: "set", frozenset: "frozenset"}


def _short(text: str) -> str:
    if len(text) > _LONGEST:
        raise ValueError("a number has too many digits")
    return text


def _exact(number: Decimal) -> Decimal:
    if number.is_finite() and abs(number.adjusted()) > _LONGEST:
        raise ValueError("a number has too many digits")
    return number


def _moderate(numbers: range) -> range:
    if numbers and (numbers[-1] - numbers[0]) // numbers.step >= _MOST_RANGE:
        raise ValueError("a range contains too many numbers")
    return numbers


def _dtype(told: str) -> np.dtype[Any]:
    if told in ("T", "O"):
        return _TEXTS if told == "T" and _TEXTS is not None else np.dtype(object)
    if not _DTYPE.fullmatch(told):
        raise ValueError("a data type is not allowed")
    return np.dtype(told)


def _scalar_dtype(told: str) -> np.dtype[Any]:
    """Return a data type, without the size of a string type, because a forged size could need too much memory."""
    found = _dtype(told)
    return np.dtype(found.kind) if found.kind in "US" else found


def _dtype_name(dtype: np.dtype[Any]) -> str | None:
    """Return the name of a data type in saved models, or None if arrays of this type cannot be saved."""
    if dtype.kind in "OT":
        return dtype.kind
    return dtype.str if _DTYPE.fullmatch(dtype.str) else None


def check_hashes(keys: Iterable[object]) -> None:
    """Raise an error for keys crafted to have equal hashes, because comparing such keys takes quadratic time."""
    counts = Counter(str(hash(key)) for key in keys if type(key) is not str)  # hashes of strings are randomized
    if counts and max(counts.values()) > _MOST_ALIKE:
        raise ValueError("colliding keys")


class _Writer:
    """Converts values to data for JSON, and collects the arrays that they contain in ``arrays``."""

    def __init__(self) -> None:
        self.arrays: list[AnyArray] = []

    def encode(self, value: Any, path: str, depth: int = 0) -> Any:
        """Return a value as data for JSON; error messages call the value ``path``, such as ``KNNClassifier.vote``."""
        kind, below = type(value), depth + 1
        if depth > _DEEPEST:
            raise UnsupportedDataError(f"{path[:200]} is nested more than {_DEEPEST} levels deep. Pass flat lists.")
        if value is None or kind is bool or kind is str:
            return value
        if kind is int and -_LARGE_INT < value < _LARGE_INT:
            return value
        if kind is int and value.bit_length() <= 4 * (_LONGEST - 2):
            return {"int": f"{value:x}"}
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind is list:
            return [self.encode(each, f"{path}[{i}]", below) for i, each in enumerate(value)]
        if kind in _CONTAINERS:
            ordered = value if kind is tuple else sorted(value, key=lambda each: (type(each).__name__, repr(each)))
            return {_CONTAINERS[kind]: [self.encode(each, f"{path}[{i}]", below) for i, each in enumerate(ordered)]}
        if isinstance(value, dict) and kind.__module__ in ("builtins", "collections"):
            return {"dict": [[self.encode(k, f"{path} key {k!r}", below), self.encode(v, f"{path}[{k!r}]", below)]
                             for k, v in value.items()]}  # fmt: skip
        if (told := self._of_numpy(value, path, below)) is not None or (told := self._plain(value)) is not None:
            return told
        if kind is Instances:
            return {"rows": {name: self.encode(part, f"{path}.{name}", below) for name, part in value.saved().items()}}
        if (name := _public_name(kind, models=False)) is not None:
            told = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
            return {name: {key: self.encode(each, f"{path}.{key}", below) for key, each in told.items()}}
        if (name := _public_name(kind, models=True)) is not None:
            parts: dict[str, Any] = {"parameters": value.get_params(deep=False), "state": value._saved_state()}
            told = {
                part: None if held is None else {k: self.encode(v, f"{path}.{k}", below) for k, v in held.items()}
                for part, held in parts.items()
            }
            return {"model": {"class": name, **told}}
        raise _refusal(value, path)

    def _plain(self, value: Any) -> Any:
        name, tell = _PLAIN.get(type(value), ("", None))
        if tell is None or (isinstance(value, datetime | time) and not isinstance(value.tzinfo, timezone | None)):
            return None
        told = {name: tell(value)}
        try:
            _PLAIN_AGAIN[name](told[name])
        except MADE_UP:
            return None
        return told

    def _of_numpy(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, np.dtype):
            return None if (name := _dtype_name(value)) is None else {"dtype": name}
        if isinstance(value, np.generic) and value.dtype.kind in "biufU" and _dtype_name(value.dtype) is not None:
            return {"scalar": [value.dtype.str, self.encode(value.item(), path, depth)]}
        if type(value) is np.random.RandomState:
            told: Any = value.get_state(legacy=False)
            key = np.asarray(told["state"]["key"], "<u4").tobytes().hex()
            parts = [key, int(told["state"]["pos"]), int(told["has_gauss"]), float(told["gauss"])]
            return {"random_state": parts}
        if type(value) is not np.ndarray:
            return None
        if (name := _dtype_name(value.dtype)) is None:
            raise UnsupportedDataError(
                f"{path} is a NumPy array of {value.dtype}, which cannot be saved. Convert it to numbers or strings."
            )
        if name in "OT":
            cells = [self.encode(each, f"{path}[{i}]", depth) for i, each in enumerate(value.ravel().tolist())]
            return {"objects": [name, list(value.shape), cells]}
        # Arrays that may change are copied while the model is locked; rows and indexes are read-only.
        self.arrays.append(value.copy(order="K") if value.flags.writeable else value)
        return {"array": len(self.arrays) - 1}


def _refusal(value: object, path: str) -> UnsupportedDataError:
    if callable(function := getattr(value, "function", None)):
        return _refusal(function, f"{path}.function")
    if callable(value) and not isinstance(value, type) and hasattr(value, "__name__"):
        return UnsupportedDataError(
            f"{path} is a function ({getattr(value, '__qualname__', value)}), but a saved model contains data only. "
            "Use a built-in function by name, or save the parameters and fit again."
        )
    kind = type(value)
    return UnsupportedDataError(
        f"{path} is a {kind.__module__}.{kind.__qualname__}, which cannot be saved. A saved model contains numbers, "
        "text, dates, NumPy arrays, containers of these, and strategies of priorcase."
    )


class _Reader:
    """Restores values from JSON data and arrays; forged data raises one of the errors in `MADE_UP`."""

    def __init__(self, arrays: list[memoryview]) -> None:
        self.arrays = dict(enumerate(arrays))  # arrays that have not been used yet
        self._in_place = False

    def decode(self, told: Any, depth: int = 0) -> Any:
        """Return the value that `_Writer.encode` converted to ``told``."""
        below = depth + 1
        if depth > _DEEPEST:
            raise ValueError("a value is nested too deeply")
        if type(told) is list:
            return [self.decode(each, below) for each in told]
        if type(told) is not dict:
            return told
        ((tag, held),) = told.items()
        if tag in _PLAIN_AGAIN:
            return _PLAIN_AGAIN[tag](held)
        if tag == "array":
            found = _array_of(self.arrays.pop(held))
            return found if self._in_place else found.copy(order="K")
        if tag == "objects":
            dtype, shape, cells = held
            values = np.empty(len(cells), object)
            values[:] = [self.decode(cell, below) for cell in cells]
            return (values.astype(_dtype(dtype)) if dtype == "T" else values).reshape(shape)
        if tag == "scalar":
            return _scalar_dtype(held[0]).type(self.decode(held[1], below))
        if tag == "random_state":
            return _random_state(*held)
        if tag == "dict":
            pairs = [(self.decode(key, below), self.decode(value, below)) for key, value in held]
            check_hashes(key for key, _ in pairs)
            return dict(pairs)
        if tag in ("tuple", "set", "frozenset"):
            members = [self.decode(each, below) for each in held]
            if tag == "tuple":
                return tuple(members)
            check_hashes(members)
            return set(members) if tag == "set" else frozenset(members)
        if tag == "rows":
            parts = self._fields(held, below)
            for _, known in parts["columns"]:
                check_hashes(known or ())
            return Instances.restored(**parts)
        if tag == "model":
            return self._model(below, **held)
        return _class_of(tag, models=False)(**self._fields(held, below))

    def _fields(self, told: Mapping[str, Any], depth: int) -> dict[str, Any]:
        return {str(name): self.decode(value, depth) for name, value in told.items()}

    def _model(self, depth: int, **told: Any) -> Any:
        kind = _class_of(told["class"], models=True)
        parameters = self._fields(told["parameters"], depth)
        if parameters.keys() != {*kind._get_param_names()}:
            raise ValueError(f"the file does not contain exactly the parameters of {kind.__name__}")
        model = kind(**parameters)
        if told["state"] is not None:
            model._restore_state({str(name): self._part(name, value, depth) for name, value in told["state"].items()})
        return model

    def _part(self, name: str, told: Any, depth: int) -> Any:
        before, self._in_place = self._in_place, name in _IN_PLACE
        found = self.decode(told, depth)
        self._in_place = before
        return found


def _array_of(content: memoryview) -> AnyArray:
    """Return the array in an ``.npy`` file, whose header must be exactly as NumPy writes it."""
    header = _NPY.match(content)
    if header is None or int.from_bytes(content[8:10], "little") + 10 != header.end():
        raise ValueError("an array has no valid header")
    dtype, shape = _dtype(header[1].decode()), [int(size) for size in header[3].decode().split(",") if size.strip()]
    body = content[header.end() :]
    if dtype.hasobject or not dtype.itemsize or math.prod(shape) * dtype.itemsize != len(body):
        raise ValueError("the shape of an array does not match its size in bytes")
    flat: AnyArray = np.frombuffer(body, dtype) if len(body) else np.empty(0, dtype)
    if not flat.flags.aligned:  # not written by `save`; zeros, because the core may read a few bytes beyond the end
        flat = np.concatenate((flat, np.zeros(_CACHE_LINE, dtype)))[: flat.size]
    if dtype.kind == "b" and flat.size and flat.view(np.uint8).max() > 1:
        raise ValueError("a boolean is stored as neither 0 nor 1")
    if dtype.kind == "U" and flat.size and flat.view(np.dtype("u4").newbyteorder(dtype.byteorder)).max() > 0x10FFFF:
        raise ValueError("a string contains invalid characters")
    return flat.reshape(shape, order="F" if header[2] == b"True" else "C")


def _random_state(key: str, position: int, has_gauss: int, gauss: float) -> np.random.RandomState:
    words = np.frombuffer(bytes.fromhex(key), "<u4")
    if words.size != 624 or not 0 <= position <= 624:
        raise ValueError("a random state is invalid")
    state = np.random.RandomState(0)
    state.set_state(("MT19937", words, position, has_gauss, gauss))
    return state


# -- checks for classes that restore their own state


def checked(
    array: object, dtype: Any, shape: tuple[int | None, ...], *, least: float = -math.inf, missing: bool = False
) -> AnyArray:
    """Return the array if its type, shape and values are as expected; otherwise, raise ``ValueError``."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != len(shape):
        raise ValueError("an array has another type than expected")
    if any(size is not None and size != found for size, found in zip(shape, array.shape, strict=True)):
        raise ValueError("an array has another shape than expected")
    known = array[~np.isnan(array)] if missing else array
    if known.size and not (np.isfinite(known).all() and known.min() >= least):
        raise ValueError("an array contains invalid numbers")
    return array


def checked_schema(schema: object) -> Schema:
    """Return the object if it is a schema; otherwise raise ``ValueError``."""
    if not isinstance(schema, Schema):
        raise ValueError("the columns have no schema")
    return schema
