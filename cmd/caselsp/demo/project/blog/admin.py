"""The blog in the admin site, where posts are written."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from .models import Post, Tag


@admin.register(Tag)
class TagAdmin(admin.ModelAdmin):
    """Tags, with a slug that follows the name."""

    list_display = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    search_fields = ["name"]


@admin.register(Post)
class PostAdmin(admin.ModelAdmin):
    """Posts, and the action that publishes several at once."""

    list_display = ["title", "author", "status", "published_at"]
    list_filter = ["status", "tags"]
    search_fields = ["title", "body"]
    prepopulated_fields = {"slug": ["title"]}
    autocomplete_fields = ["tags"]
    date_hierarchy = "published_at"
    actions = ["publish"]

    @admin.action(description="Publish the selected posts")
    def publish(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Publish each selected draft."""
        drafts = list(queryset.filter(status=Post.Status.DRAFT))
        for post in drafts:
            post.publish()
        self.message_user(
            request, f"Published {len(drafts)} of {queryset.count()}.", messages.SUCCESS
        )
