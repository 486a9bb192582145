"""Which rows to keep: CNN, RNN, ENN, RENN, AllKNN, DROP1 to DROP5 and ICF."""
