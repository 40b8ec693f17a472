"""The tests of the blog."""
