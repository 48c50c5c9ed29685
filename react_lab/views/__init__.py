"""Views: a Run made visible. They consume runs and never reach back into the loop."""
