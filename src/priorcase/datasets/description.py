"""What is known about a data set: its columns, where it comes from, what differs from the original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from priorcase.datasets.errors import bad_manifest
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

__all__ = ["Description"]


@dataclass(frozen=True, repr=False)
class Description:
    """One entry of a ``manifest.json``; it prints as a page.

    Attributes
    ----------
    name, file
        What the data set is called, and the file that holds it, beside the manifest.
    rows
        How many rows the file has.
    kinds
        What each attribute means, in the order of the file.
    target, target_kind
        The column to predict and its kind.
    id_columns
        Columns that name a case and are no attributes.
    origin, licence, citation
        Where the data come from, on what terms, and whom to cite.
    deviations
        What differs from the original, or from what papers say about it.
    taxonomies
        For some attributes the file, beside the manifest, of a tree that their values are nodes of.
    size, sha256
        Bytes of the file, unpacked, and their checksum, where the manifest has them.
    """

    name: str
    file: str
    rows: int
    kinds: Mapping[str, Kind]
    target: str
    target_kind: Kind
    id_columns: tuple[str, ...] = ()
    origin: str = ""
    licence: str = ""
    citation: str = ""
    deviations: tuple[str, ...] = ()
    taxonomies: Mapping[str, str] = field(default_factory=dict)
    size: int | None = None
    sha256: str | None = None

    @classmethod
    def of(cls, entry: Any, path: str) -> Description:
        """The description that an entry of the manifest at ``path`` gives."""
        try:
            target = entry["target"]
            return cls(
                name=str(entry["name"]),
                file=str(entry["file"]),
                rows=int(entry["rows"]),
                kinds={str(attribute["name"]): _kind(attribute) for attribute in entry["attributes"]},
                target=str(target["name"]),
                target_kind=Numeric() if target["kind"] == "numeric" else Nominal(),
                id_columns=tuple(entry.get("id_columns", ())),
                origin=str(entry.get("origin", {}).get("name", "")),
                licence=str(entry.get("licence", "")),
                citation=str(entry.get("citation", "")),
                deviations=tuple(entry.get("deviations", ())),
                taxonomies={str(name): str(file) for name, file in entry.get("taxonomies", {}).items()},
                size=entry.get("bytes_uncompressed"),
                sha256=entry.get("sha256"),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            about = repr(entry["name"]) if isinstance(entry, Mapping) and "name" in entry else "an entry"
            raise bad_manifest(path, f"does not describe {about} in full ({error!r})") from error

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.name}: {self.rows} rows, {len(self.kinds)} attributes, target {self.target!r}"
        counts = dict.fromkeys(("numeric", "ordinal", "nominal"), 0)
        for kind in self.kinds.values():
            counts[kind.describe().split()[0]] += 1
        yield "   attributes: " + ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        for label, text in (("origin", self.origin), ("licence", self.licence), ("cite", self.citation)):
            if text:
                yield f"   {label}: {text}"
        for text in self.deviations:
            yield f"   note: {text}"


def _kind(attribute: Mapping[str, Any]) -> Kind:
    if attribute["kind"] == "numeric":
        return Numeric()
    if attribute["kind"] == "ordinal":
        return Ordinal(tuple(map(str, attribute["order"] if "order" in attribute else attribute["values"])))
    if attribute["kind"] != "nominal":
        raise ValueError(f"kind {attribute['kind']!r}")
    return Nominal()
