"""The rules of STYLE.md as tests: layers, sizes, names, comments, documents (STYLE 1, point 18).

Standard library and pytest alone, and nothing is imported from Dwell's extension: the rules hold
before anything is built.
"""
