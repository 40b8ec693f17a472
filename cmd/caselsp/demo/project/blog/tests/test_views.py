"""Tests of the pages, as a browser asks for them."""

from datetime import timedelta

from django.test import TestCase
from django.urls import reverse
from django.utils import timezone

from blog.models import Post, Tag

from .factories import make_post, make_user


class PostListTests(TestCase):
    """The list of posts."""

    def test_empty_blog_says_so(self) -> None:
        response = self.client.get(reverse("blog:posts"))
        self.assertContains(response, "There are no posts here.")

    def test_lists_what_is_published(self) -> None:
        make_post(title="Herons at the weir")
        make_post(title="Half an idea", status=Post.Status.DRAFT)
        response = self.client.get(reverse("blog:posts"))
        self.assertTemplateUsed(response, "blog/post_list.html")
        self.assertContains(response, "Herons at the weir")
        self.assertNotContains(response, "Half an idea")

    def test_pages_hold_five_posts(self) -> None:
        for _ in range(6):
            make_post()
        url = reverse("blog:posts")
        self.assertEqual(len(self.client.get(url).context["posts"]), 5)
        self.assertEqual(len(self.client.get(url, {"page": 2}).context["posts"]), 1)
        self.assertEqual(self.client.get(url, {"page": 3}).status_code, 404)

    def test_search_keeps_its_words_over_pages(self) -> None:
        for _ in range(6):
            make_post(body="salt & marsh")
        make_post(body="woodland")
        response = self.client.get(reverse("blog:posts"), {"q": "salt &"})
        self.assertEqual(response.context["paginator"].count, 6)
        self.assertContains(response, "?page=2&amp;q=salt%20%26")

    def test_search_that_is_too_long_finds_nothing(self) -> None:
        make_post()
        response = self.client.get(reverse("blog:posts"), {"q": "x" * 101})
        self.assertContains(response, "at most 100 characters")
        self.assertEqual(len(response.context["posts"]), 0)

    def test_number_of_queries_does_not_grow_with_the_posts(self) -> None:
        waders = Tag.objects.create(name="Waders", slug="waders")
        for _ in range(5):
            make_post().tags.add(waders)
        with self.assertNumQueries(3):  # the count, the posts, their tags
            self.client.get(reverse("blog:posts"))


class TagTests(TestCase):
    """The list of posts with a tag."""

    def test_lists_the_posts_with_the_tag(self) -> None:
        tag = Tag.objects.create(name="Waders", slug="waders")
        tagged = make_post()
        tagged.tags.add(tag)
        make_post()
        response = self.client.get(tag.get_absolute_url())
        self.assertEqual(list(response.context["posts"]), [tagged])
        self.assertContains(response, "Posts about Waders")

    def test_unknown_tag_is_not_found(self) -> None:
        self.assertEqual(self.client.get("/tags/none/").status_code, 404)


class PostDetailTests(TestCase):
    """The page of a post."""

    def test_shows_the_post(self) -> None:
        author = make_user(username="ada", first_name="Ada", last_name="Byron")
        post = make_post(author=author, body="First.\n\nSecond <b>bold</b>.")
        response = self.client.get(post.get_absolute_url())
        self.assertTemplateUsed(response, "blog/post_detail.html")
        self.assertContains(response, "by Ada Byron")
        self.assertContains(response, "<p>First.</p>", html=True)
        self.assertContains(response, "&lt;b&gt;bold&lt;/b&gt;")

    def test_who_sees_a_post_before_it_is_published(self) -> None:
        author = make_user()
        drafts = [
            make_post(author=author, status=Post.Status.DRAFT),
            make_post(author=author, published_at=timezone.now() + timedelta(days=1)),
        ]
        readers = [
            (None, 404),
            (make_user(), 404),
            (author, 200),
            (make_user(is_staff=True), 200),
        ]
        for post in drafts:
            for user, status in readers:
                with self.subTest(post=post.status, user=user):
                    self.client.logout()
                    if user:
                        self.client.force_login(user)
                    response = self.client.get(post.get_absolute_url())
                    self.assertEqual(response.status_code, status)

    def test_unknown_post_is_not_found(self) -> None:
        self.assertEqual(self.client.get("/posts/none/").status_code, 404)
