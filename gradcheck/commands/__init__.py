"""The commands of `gradcheck`, one file each: parse, call, print.

Each file holds a function, which Typer reads, and its EXAMPLES. What is heavy is imported by the
function that uses it, so that help appears at once.
"""
