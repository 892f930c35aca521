import sys
from pathlib import Path

# The scripted pipeline is shared by the tests of the session and of the journal.
sys.path.insert(0, str(Path(__file__).parents[1] / "session"))
