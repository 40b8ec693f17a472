"""The blog: posts, their tags, and the pages that show them."""
