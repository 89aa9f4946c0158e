"""Lifetimes: who connects, who calls, who holds a receipt, and for how long."""
