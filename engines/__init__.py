"""Engines under audit, one file each, their libraries imported when they are used."""
