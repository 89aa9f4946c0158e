"""Measurements, each beside a floor of the same run. Nothing here is asserted by the tests."""
