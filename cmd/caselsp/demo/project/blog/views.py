"""The pages of the blog."""

from typing import Any, Dict

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.views.generic import DetailView, ListView

from .forms import SearchForm
from .models import Post, Tag


class PostListView(ListView):
    """The published posts, newest first, or those that a search finds."""

    context_object_name = "posts"
    paginate_by = 5
    template_name = "blog/post_list.html"

    def get_queryset(self) -> QuerySet:
        """Return the posts; what is no valid search finds nothing."""
        self.form = SearchForm(self.request.GET)
        posts = Post.objects.published().select_related("author")
        if not self.form.is_valid():
            return posts.none()
        return posts.matching(self.form.cleaned_data["q"]).prefetch_related("tags")

    def get_context_data(self, **kwargs: Any) -> Dict[str, Any]:
        """Add the search and its words."""
        context = super().get_context_data(**kwargs)
        context["form"] = self.form
        context["words"] = self.form.cleaned_data.get("q", "")
        return context


class TagView(PostListView):
    """The published posts with one tag."""

    def get_queryset(self) -> QuerySet:
        """Return the posts with the tag that the address names."""
        self.tag = get_object_or_404(Tag, slug=self.kwargs["slug"])
        return super().get_queryset().filter(tags=self.tag)

    def get_context_data(self, **kwargs: Any) -> Dict[str, Any]:
        """Add the tag."""
        return super().get_context_data(tag=self.tag, **kwargs)


class PostDetailView(DetailView):
    """One post. Its author and the staff see it before it is published."""

    context_object_name = "post"
    template_name = "blog/post_detail.html"

    def get_queryset(self) -> QuerySet:
        """Return the posts that the user may see."""
        posts = Post.objects.select_related("author").prefetch_related("tags")
        user = self.request.user
        if user.is_staff:
            return posts
        visible = posts.published()
        if user.is_authenticated:
            return visible | posts.filter(author=user)
        return visible
