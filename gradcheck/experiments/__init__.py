"""Experiments: one question each, over knobs that an audit leaves alone. `gradcheck experiment`."""
