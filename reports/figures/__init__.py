"""Figures of an audit: one kind a file, each from one artifact to plots; `drawing` draws them.

A plot is data. matplotlib draws it as SVG, and `inline` fits that into the page, whose colours
and fonts then apply.
"""
