"""Figures of an audit: one kind a file, each from one artifact to plots; `svg` draws a plot.

Plots are written as SVG directly: a default audit has some two hundred of them, which takes a
plotting library ten seconds and this half a second, and the page's own colours and font apply.
"""
