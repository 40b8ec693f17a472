"""What the blog keeps."""

from math import ceil

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

WORDS_PER_MINUTE = 200


class Tag(models.Model):
    """A subject that posts have in common."""

    name = models.CharField(max_length=40, unique=True)
    slug = models.SlugField(max_length=40, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return the page that lists the posts with this tag."""
        return reverse("blog:tag", args=[self.slug])


class PostQuerySet(models.QuerySet):
    """Selections of posts."""

    def published(self) -> "PostQuerySet":
        """Return the posts that readers can see now."""
        return self.filter(
            status=Post.Status.PUBLISHED, published_at__lte=timezone.now()
        )

    def matching(self, words: str) -> "PostQuerySet":
        """Return the posts whose title or body has each of the words."""
        posts = self
        for word in words.split():
            posts = posts.filter(
                models.Q(title__icontains=word) | models.Q(body__icontains=word)
            )
        return posts


class Post(models.Model):
    """An article. Readers see it once it is published and its time has come."""

    class Status(models.TextChoices):
        """How far a post is."""

        DRAFT = "draft", "Draft"
        PUBLISHED = "published", "Published"

    title = models.CharField(max_length=120)
    slug = models.SlugField(max_length=120, unique=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="posts"
    )
    body = models.TextField()
    tags = models.ManyToManyField(Tag, blank=True, related_name="posts")
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.DRAFT
    )
    published_at = models.DateTimeField(null=True, blank=True, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = PostQuerySet.as_manager()

    class Meta:
        ordering = ["-published_at", "-created_at"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        """Return the post's own page."""
        return reverse("blog:post", args=[self.slug])

    @property
    def is_visible(self) -> bool:
        """Whether readers can see the post now."""
        return (
            self.status == self.Status.PUBLISHED
            and self.published_at is not None
            and self.published_at <= timezone.now()
        )

    @property
    def reading_minutes(self) -> int:
        """How long the post takes to read, in minutes, at least one."""
        return max(1, ceil(len(self.body.split()) / WORDS_PER_MINUTE))

    def publish(self) -> None:
        """Publish the post, now unless it has a time of its own already."""
        self.status = self.Status.PUBLISHED
        if self.published_at is None:
            self.published_at = timezone.now()
        self.save(update_fields=["status", "published_at", "updated_at"])
