"""What a step costs: CPU, time, characters and tokens. See README.md."""
