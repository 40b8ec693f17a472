"""The addresses of the blog."""

from django.urls import path

from . import views

app_name = "blog"

urlpatterns = [
    path("", views.PostListView.as_view(), name="posts"),
    path("tags/<slug:slug>/", views.TagView.as_view(), name="tag"),
    path("posts/<slug:slug>/", views.PostDetailView.as_view(), name="post"),
]
