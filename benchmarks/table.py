"""Rows of figures as a Markdown table."""


def markdown(rows: list[dict]) -> str:
    """The rows as a table; the keys of the first are its head. None is shown as a dash."""
    head = list(rows[0])
    numbers = [isinstance(value, int | float) for value in rows[0].values()]
    lines = [head, ["---:" if number else "---" for number in numbers]]
    lines += [[_cell(row[key]) for key in head] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
