"""Tests of what the blog keeps."""

from datetime import timedelta
from io import StringIO

from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import TestCase
from django.utils import timezone

from blog.models import Post, Tag

from .factories import make_post


class PostTests(TestCase):
    """Posts."""

    def test_only_published_posts_whose_time_has_come_are_visible(self) -> None:
        now = timezone.now()
        seen = make_post()
        hidden = [
            make_post(status=Post.Status.DRAFT),
            make_post(published_at=now + timedelta(days=1)),
            make_post(published_at=None),
        ]
        self.assertEqual(list(Post.objects.published()), [seen])
        self.assertTrue(seen.is_visible)
        self.assertFalse(any(post.is_visible for post in hidden))

    def test_newest_post_comes_first(self) -> None:
        old = make_post(published_at=timezone.now() - timedelta(days=2))
        new = make_post(published_at=timezone.now() - timedelta(days=1))
        self.assertEqual(list(Post.objects.published()), [new, old])

    def test_matching_wants_every_word_somewhere(self) -> None:
        both = make_post(title="Herons", body="They nest early.")
        make_post(title="Herons", body="They fish.")
        self.assertEqual(list(Post.objects.matching("nest HERON")), [both])
        self.assertEqual(Post.objects.matching("  ").count(), 2)

    def test_publish_sets_the_time_once(self) -> None:
        draft = make_post(status=Post.Status.DRAFT, published_at=None)
        draft.publish()
        draft.refresh_from_db()
        self.assertTrue(draft.is_visible)

        planned = timezone.now() + timedelta(days=3)
        scheduled = make_post(status=Post.Status.DRAFT, published_at=planned)
        scheduled.publish()
        scheduled.refresh_from_db()
        self.assertEqual(scheduled.published_at, planned)
        self.assertFalse(scheduled.is_visible)

    def test_reading_minutes_are_rounded_up(self) -> None:
        for words, minutes in [(0, 1), (1, 1), (200, 1), (201, 2), (1000, 5)]:
            with self.subTest(words=words):
                self.assertEqual(Post(body="word " * words).reading_minutes, minutes)

    def test_slugs_are_unique(self) -> None:
        make_post(slug="same")
        with self.assertRaises(IntegrityError), transaction.atomic():
            make_post(slug="same")


class TagTests(TestCase):
    """Tags."""

    def test_tags_are_sorted_and_show_their_name(self) -> None:
        Tag.objects.create(name="Waders", slug="waders")
        Tag.objects.create(name="Gulls", slug="gulls")
        self.assertEqual([str(tag) for tag in Tag.objects.all()], ["Gulls", "Waders"])


class MigrationTests(TestCase):
    """The models and their migrations."""

    def test_no_migration_is_missing(self) -> None:
        call_command("makemigrations", check=True, dry_run=True, stdout=StringIO())
