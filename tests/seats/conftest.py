import sys
from pathlib import Path

# The scripted pipeline serves the tests of the session too.
sys.path.insert(0, str(Path(__file__).parents[1] / "session"))
