"""The Unitree G1 of `g1.xml`, with one of its contact sets."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree

from gradcheck.engine import BadInput

if TYPE_CHECKING:
    import mujoco

GROUND = "ground"


class ContactSet(StrEnum):
    """Which primitives of the robot meet the ground."""

    FEET = "feet"
    BODY = "body"


# contype of the ground: bit 0 meets the soles, bit 1 every other primitive (see g1.xml).
MEETS = {ContactSet.FEET: 1, ContactSet.BODY: 3}


def mjcf(contacts: Literal["feet", "body"] | str = "feet") -> str:
    """The robot's MJCF with a contact set: nq 36, nv 35, nu 29; keyframes `stand`, `knees_bent`.

    `feet`: the seven capsules of each foot on the ground plane, condim 3, friction 0.6.
    `body`: those, and every other collision primitive on the plane, condim 1.
    Raises `BadInput` for another set, and for `self`, self-collision.
    """
    root = ElementTree.fromstring(Path(__file__).with_name("g1.xml").read_text("utf-8"))
    ground = root.find(f".//geom[@name='{GROUND}']")
    assert ground is not None
    ground.set("contype", str(MEETS[_known(contacts)]))
    return ElementTree.tostring(root, encoding="unicode")


def load_mjmodel(contacts: Literal["feet", "body"] | str = "feet") -> "mujoco.MjModel":
    """The robot compiled by MuJoCo. Raises `BadInput` as `mjcf` does."""
    import mujoco

    return mujoco.MjModel.from_xml_string(mjcf(contacts))


def _known(contacts: str) -> ContactSet:
    if contacts == "self":
        raise BadInput(
            "contact set 'self' of the G1: self-collision is not built yet "
            f"(there is: {', '.join(ContactSet)})"
        )
    if contacts not in list(ContactSet):
        raise BadInput(f"the G1 has no contact set '{contacts}' (it has: {', '.join(ContactSet)})")
    return ContactSet(contacts)
