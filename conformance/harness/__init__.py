"""The harness: runs the vectors against every language and against the reference."""
