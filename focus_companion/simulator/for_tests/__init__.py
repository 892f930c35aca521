"""Parts of the simulator for tests and benchmarks only: whole games with ground truth, and random looks.

Nothing in the product imports from here.
"""
