"""The field's words that the report uses, each in a sentence."""

SPEED_DT = "speed \N{MULTIPLICATION SIGN} dt"

GLOSSARY = {
    "referent": "The object whose derivative is returned: the computation that ran, the equation "
    "it approximates, or the continuous dynamics.",
    "realization": "How the derivative is made: by generated (automatic) differentiation, by an "
    "adjoint of the equations, or by an adjoint written by hand.",
    "retention": "How the backward pass gets the states of the forward pass: stored, kept at "
    "checkpoints, computed again, or found by running backward.",
    "frozen": "What the backward pass holds constant although the forward pass computed it.",
    "testbed": "A physical question with a scene, named inputs, a scalar loss and, where known, "
    "its true derivative.",
    "program": "The computation as executed, with its time steps and solver iterations.",
    "physics": "Continuous time: a closed form, or the engine refined in its time step.",
    "difference": "Slope of the loss by finite differences, read off a plateau of step sizes.",
    SPEED_DT: "How far the state moves in one time step. Differences with smaller steps see "
    "the program, with larger ones the physics.",
    "noise": "The floor below which changes of the loss are rounding or an unconverged solver.",
    "kink": "A place where the slopes from left and right differ: there is no derivative.",
    "jump": "A place where the loss itself is discontinuous.",
    "zeroth-order": "An estimate of a slope from values of the loss alone, under noise.",
    "horizon": "The number of time steps, or the time, from the inputs to the loss.",
}
