"""
Design a water faucet from known parts
======================================

Cases can also be graphs. This is a textbook example of case-based design (Mitchell 1997, section
8.5; Sycara et al. 1992): the function of a faucet is given as a graph of influences between
quantities, and the design is composed of parts whose functions are known.

The faucet should control the flow and the temperature of the mixed water separately: ``Cf``
controls the flow, and ``Ct`` controls the temperature.
"""

import matplotlib.pyplot as plt

from priorcase.cases.designs import FunctionGraph, design, plumbing

faucet = FunctionGraph.parse(
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

# %%
# ``Q`` stands for flows and ``T`` for temperatures of cold, hot and mixed water; ``+>`` means
# *increases*, and ``->`` means *decreases*. The search covers the graph with the functions of parts,
# and rejects a part if it would have a side effect.
found = design(faucet, plumbing())
print(found)

# %%
# The output shows how the parts of the best design are connected, and how each part is built.
best = found[0]
for variable, ends in best.connections.items():
    print(f"{variable}: {', '.join(ends)}")
for name, structure in dict.fromkeys((piece.fragment.name, piece.fragment.structure) for piece in best.pieces):
    print(f"{name}: {structure}")

best.plot()
plt.show()
