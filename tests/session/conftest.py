import sys
from pathlib import Path

# The scripted pipeline serves the tests of the session and of the journal.
sys.path.insert(0, str(Path(__file__).parent))
