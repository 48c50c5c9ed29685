"""Words: the next English words of the prompt, to train on before the lab says them.

The adapter is tied to every word that it was trained on. So new words are prepared here, beside
the ones that ship: `use("next")` puts them into `react_lab.prompt` for this process. When the
new adapter is installed, they move into `prompt.py` and NEXT becomes empty.

>>> from react_lab import prompt
>>> use("next")
>>> prompt.FRAME["en"]["ready"]
'what you know, and that nothing is open'
"""

from react_lab import prompt

# A thought keeps the open parts in view: what was learnt, what is still open.
PLAN = {
    "thought": "what you have learnt and what is still open",
    "ready": "what you know, and that nothing is open",
}
# The thoughts of the first adapter: the next need only. Trained too, to be compared with.
SHORT = {"thought": "what you need next", "ready": "why you can answer"}

NEXT = {
    "FRAME": PLAN,
    "RULES": {
        "retry": "After an error, change the input and try once more.",
    },
    "MESSAGES": {
        "bad_arguments": "Wrong input: {reason}",
        "cut": "[{missing} characters left out. Ask for less to see them.]",
        "refusal": "A person did not allow this call to {tool}. {note}",
        "not_run": "You wrote an Action and a Final Answer in one reply. The Action did not "
        "run, so this answer does not count. Write only the Action, or only the Final Answer.",
        "near_repeat": "You asked {tool} for nearly the same {count} times and learnt nothing "
        "new. Change the input or give the Final Answer.",
        "same_tool": "You have called {tool} {count} times in a row. If it does not help, use "
        "another tool or give the Final Answer.",
        "not_repeated": "You already called {tool} with this input, so it was not run again. "
        "Change the input or give the Final Answer.",
    },
}


def use(name: str) -> None:
    """Put a set of words into `react_lab.prompt`: "shipped" changes nothing, "next" all of NEXT.

    Raises ValueError for another name.
    """
    if name not in ("shipped", "next"):
        raise ValueError(f'words is {name!r}; give "shipped" or "next".')
    if name == "next":
        for table, words in NEXT.items():
            getattr(prompt, table)["en"].update(words)
