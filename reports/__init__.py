"""Reports, drawn from the audit's JSON alone: nothing here measures or judges."""
