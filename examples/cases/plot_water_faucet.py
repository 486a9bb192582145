"""
Design a water faucet from known parts
======================================

Cases can be graphs, too. A textbook example of case-based design (Mitchell 1997, section 8.5;
Sycara et al. 1992): the function of a faucet is given as a graph of influences between quantities,
and the design is composed of parts whose functions are known.

The flow and the temperature of the mixed water are to be controlled separately: ``Cf`` controls the
flow, ``Ct`` the temperature.
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
# ``Q`` are flows and ``T`` temperatures of cold, hot and mixed water; ``+>`` means *increases*. The
# search covers the graph with the functions of parts, and rejects a part if it would have a side
# effect.
found = design(faucet, plumbing())
print(found)

# %%
# How the parts of the best design are connected, and how each of them is built.
best = found[0]
for variable, ends in best.connections.items():
    print(f"{variable}: {', '.join(ends)}")
for name, structure in dict.fromkeys((piece.fragment.name, piece.fragment.structure) for piece in best.pieces):
    print(f"{name}: {structure}")

best.plot()
plt.show()
