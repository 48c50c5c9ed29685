"""How the adapter of the embedded model was made: episodes, trainer, export and measurements."""
