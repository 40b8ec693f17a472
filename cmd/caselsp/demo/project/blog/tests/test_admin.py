"""Tests of the admin site."""

from django.test import TestCase
from django.urls import reverse

from blog.models import Post

from .factories import make_post, make_user


class PublishTests(TestCase):
    """The action that publishes posts."""

    def test_publishes_the_drafts_among_the_selected(self) -> None:
        self.client.force_login(make_user(is_staff=True, is_superuser=True))
        posts = [make_post(status=Post.Status.DRAFT, published_at=None), make_post()]
        left = make_post(status=Post.Status.DRAFT)
        response = self.client.post(
            reverse("admin:blog_post_changelist"),
            {"action": "publish", "_selected_action": [post.pk for post in posts]},
            follow=True,
        )
        self.assertContains(response, "Published 1 of 2.")
        self.assertEqual(Post.objects.published().count(), 2)
        left.refresh_from_db()
        self.assertEqual(left.status, Post.Status.DRAFT)
