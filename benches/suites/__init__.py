"""One table a module; each has `run(session)`."""
