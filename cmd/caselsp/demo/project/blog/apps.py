"""The blog as a Django application."""

from django.apps import AppConfig


class BlogConfig(AppConfig):
    """The application's name and the type of its keys."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "blog"
