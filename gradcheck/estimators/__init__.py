"""Estimates of the slope of a loss's mean under noise, one file each, all with one interface."""
