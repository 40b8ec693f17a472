"""Forms that readers fill in."""

from django import forms


class SearchForm(forms.Form):
    """Words to look for in the posts."""

    q = forms.CharField(
        label="Search",
        max_length=100,
        required=False,
        strip=True,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Search posts"}),
    )
