"""The shared part of the adapters for engines: files as splits, which are planned once and read anywhere."""
