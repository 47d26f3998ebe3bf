"""Reading the user's files, strictly."""
