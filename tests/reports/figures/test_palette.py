"""Lines are told apart by those who see fewer colours, and stand out from either page."""

from itertools import combinations

import numpy as np
import pytest

from gradcheck.plateau import Floats
from gradcheck.reports.figures.palette import DARK, LIGHT
from gradcheck.reports.html import TEMPLATES

# Machado, Oliveira and Fernandes 2009, severity 1, on linear light; sight of all colours first.
SIGHTS = {
    "all": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
PAGES = {"#ffffff": LIGHT, "#0f1318": DARK}
# Oklab: https://bottosson.github.io/posts/oklab
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> Floats:
    """Linear light [3] of a colour in sRGB."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(light: Floats) -> Floats:
    """Coordinates in which distance is difference as seen."""
    return np.asarray(TO_LAB @ np.cbrt(TO_CONES @ np.clip(light, 0.0, 1.0)), np.float64)


def contrast(one: str, other: str) -> float:
    """Ratio of luminances by WCAG 2.2."""
    dark, light = sorted(float(linear(it) @ [0.2126, 0.7152, 0.0722]) for it in (one, other))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", PAGES)
def test_every_line_stands_out_from_its_page(page: str) -> None:
    assert f"--page: {page};" in (TEMPLATES / "style.css.j2").read_text(encoding="utf-8")
    assert min(contrast(colour, page) for colour in PAGES[page]) >= 3.0


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("page", PAGES)
def test_any_two_lines_are_told_apart(page: str, sight: str) -> None:
    seen = [oklab(SIGHTS[sight] @ linear(colour)) for colour in PAGES[page]]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 0.1
