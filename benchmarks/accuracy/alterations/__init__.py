"""Alters the picture of a recording as light, objects, cameras and streams do, and keeps its truth.

    python -m benchmarks.accuracy.alterations VIDEO OUT EFFECT:STRENGTH… [--seed S]
    python -m benchmarks.accuracy.alterations --list
    python -m benchmarks.accuracy.life benchmarks/accuracy/alterations FOLDER --effects patches sun leaves

An effect is a function that decides at random, for one recording and a strength of 1 to 3, what happens in
it and when. It returns an :data:`.Alteration`, which is called with every picture in turn. To add an effect,
write such a function and name it in the ``EFFECTS`` of its module.
"""
