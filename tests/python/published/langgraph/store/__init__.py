"""Stands for the package of this name."""
