"""Tests of the reference, with bytes computed by hand from the specification."""
