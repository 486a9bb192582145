"""``python examples/water_faucet.py [PICTURE]``: designs a water faucet from parts that were built before.

The textbook's example of reasoning from symbolic cases (Mitchell 1997, section 8.5; Sycara et al. 1992): what the
faucet is to do is given as a graph of influences, and designs are put together from parts whose functions are known.
"""

from __future__ import annotations

import sys

from priorcase.cases.designs import FunctionGraph, design, plumbing

FAUCET = FunctionGraph.parse(
    """
    Cf +> Qc; Cf +> Qh
    Ct -> Qc; Ct +> Qh
    Qc +> Qm; Qh +> Qm
    Tc +> Tm; Th +> Tm
    flow: Qc, Qh, Qm
    temperature: Tc, Th, Tm
    control: Cf, Ct
    """
)


def main() -> None:
    """Print the best design, how its parts are connected, and what was backed out of; draw it where asked to."""
    found = design(FAUCET, plumbing())
    print(found)
    best = found[0]
    print("\nhow the parts are connected")
    for variable, ends in best.connections.items():
        print(f"  {variable}: {', '.join(ends)}")
    print("\nhow each is built")
    for structure in dict.fromkeys((piece.fragment.name, piece.fragment.structure) for piece in best.pieces):
        print("  {}: {}".format(*structure))
    print(f"\ntaken back {found.backtracks} times, for example")
    for text in found.conflicts[:3]:
        print(f"  {text}")
    if len(sys.argv) > 1:
        best.plot().figure.savefig(sys.argv[1], dpi=90)


if __name__ == "__main__":
    main()
