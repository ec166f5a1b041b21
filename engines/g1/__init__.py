"""A differentiable simulator of the Unitree G1, in JAX, for many worlds at once.

MuJoCo's full contact dynamics with exact gradients, by the implicit function theorem at the
converged solve. `load` a model, make a `state`, then `step`, `rollout`, `value_and_grad`,
`transition_jacobians`; all of them work under jit, vmap, grad, jvp and scan.
"""

from gradcheck.engines.g1.compiled import COMPILER_OPTIONS as COMPILER_OPTIONS
from gradcheck.engines.g1.fields import Fields as Fields
from gradcheck.engines.g1.fields import fields as fields
from gradcheck.engines.g1.fields import rows_of as rows_of
from gradcheck.engines.g1.jacobian import transition_jacobians as transition_jacobians
from gradcheck.engines.g1.model import Model as Model
from gradcheck.engines.g1.model import load as load
from gradcheck.engines.g1.parameters import Parameters as Parameters
from gradcheck.engines.g1.robot import load_mjmodel as load_mjmodel
from gradcheck.engines.g1.robot import mjcf as mjcf
from gradcheck.engines.g1.rollout import Gradient as Gradient
from gradcheck.engines.g1.rollout import Result as Result
from gradcheck.engines.g1.rollout import rollout as rollout
from gradcheck.engines.g1.rollout import value_and_grad as value_and_grad
from gradcheck.engines.g1.state import State as State
from gradcheck.engines.g1.state import Status as Status
from gradcheck.engines.g1.state import keyframe as keyframe
from gradcheck.engines.g1.state import state as state
from gradcheck.engines.g1.step import step as step
from gradcheck.engines.g1.tangent import retract as retract
