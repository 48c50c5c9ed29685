"""Views: show a Run as text, HTML, plots and widgets. A view reads runs and never changes them."""
