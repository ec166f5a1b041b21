"""A small robot in which everything that the simulator computes appears at once."""

from pathlib import Path

import mujoco


def synthetic(cone: str, integrator: str) -> mujoco.MjModel:
    """The compiled model of `synthetic.xml` with this cone and integrator."""
    return with_options(
        mujoco.MjModel.from_xml_path(str(Path(__file__).with_name("synthetic.xml"))),
        cone,
        integrator,
    )


def with_options(model: mujoco.MjModel, cone: str, integrator: str) -> mujoco.MjModel:
    """The model itself, with this cone and integrator."""
    model.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    return model
