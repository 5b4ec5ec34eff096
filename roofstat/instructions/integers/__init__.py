"""Integers as the compilers know them: constants, known bits, words of wide numbers, divisions."""
