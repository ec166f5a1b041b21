"""Whether an engine's memory is asked for."""

from gradcheck.engine import Ability, Unsupported
from gradcheck.subject import Subject


def no_memory(subject: Subject) -> str | None:
    """Why memory is not asked for; None where it is."""
    if Ability.MEMORY not in subject.engine.card.abilities:
        return f"{subject.engine_name} does not tell its memory"
    try:
        subject.require_builds()
    except Unsupported as reason:
        return str(reason)
    return None
