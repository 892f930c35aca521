"""What is spoken: events and answers as short sentences for people who do not look at a screen.

All functions are pure: from an event and the session's state to a sentence. What speaks it, a browser or the
host's loudspeaker, does not matter here.
"""

from .answers import QUESTIONS, NoSuchQuestion, answer
from .narration import Utterance, narrate, opening
from .voice import Voice

__all__ = ["QUESTIONS", "NoSuchQuestion", "Utterance", "Voice", "answer", "narrate", "opening"]
