"""Published results beside those of this library: one module for each paper, its protocol and its printed table.

``python -m priorcase.papers bibl --data FOLDER`` runs one. The folder holds the public data sets as CSV files and a
``manifest.json`` that says what their columns mean.
"""
