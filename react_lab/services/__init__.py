"""Services: one model for many learners, and a search service, over HTTP."""
