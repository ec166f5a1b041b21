"""Balls on springs: a small differentiable simulator, with an adjoint written by hand."""

from springball.step import Ground, make_step

__all__ = ["Ground", "make_step"]
