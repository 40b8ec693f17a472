"""Objects to test with, so that each test names only what it is about."""

from datetime import timedelta
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from blog.models import Post

_numbers = count(1)


def make_user(**fields: Any):
    """Return a new user; without fields, an ordinary one."""
    fields.setdefault("username", f"user-{next(_numbers)}")
    return get_user_model().objects.create_user(**fields)


def make_post(**fields: Any) -> Post:
    """Return a new post; without fields, one that was published an hour ago."""
    number = next(_numbers)
    fields.setdefault("title", f"Post {number}")
    fields.setdefault("slug", f"post-{number}")
    fields.setdefault("body", "Some words.")
    fields.setdefault("status", Post.Status.PUBLISHED)
    fields.setdefault("published_at", timezone.now() - timedelta(hours=1))
    if "author" not in fields:
        fields["author"] = make_user()
    return Post.objects.create(**fields)
