"""Jobs: one engine on one testbed, measured in a child process, here or on a cluster."""
