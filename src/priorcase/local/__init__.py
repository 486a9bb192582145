"""Fits around each query: locally weighted regression and classification, and radial basis functions."""
