"""What `gradcheck init` writes: adapters that run as they are, and a commented configuration.

They are modules here, so that lint, types and tests hold for them too.
"""
