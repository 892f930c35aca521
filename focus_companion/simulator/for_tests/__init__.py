"""What the tests and benchmarks alone use of the simulator: whole games with their truth, and random looks.

Nothing in the product imports from here.
"""
