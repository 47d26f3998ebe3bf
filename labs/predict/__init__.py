"""A learner's prediction against a run: read as it was written, and the first difference explained."""
