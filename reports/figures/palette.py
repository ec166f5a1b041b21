"""Colours of lines: six that differ in lightness as well as in hue, for either background.

Chosen so that any two stay apart under the three dichromacies (Machado, Oliveira and Fernandes
2009) and each stands out from its page: a test holds both. Series differ by marker and dash too.
"""

LIGHT = ("#0062b0", "#d96400", "#00a28d", "#913b4e", "#012983", "#621700")
DARK = ("#8eb3ff", "#ff7f6e", "#35e6c0", "#a65f80", "#337ae5", "#ffce00")
INK = "#000000"
"""What is drawn in the colour of the page's text."""

# The page's style sheet sets the variables for its background; alone, a figure is light.
CSS = {
    INK: "currentColor",
    **{colour: f"var(--s{place}, {colour})" for place, colour in enumerate(LIGHT)},
}
