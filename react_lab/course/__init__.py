"""Course: the exercises with their checks, hints and solutions; working copies; the doctor.

from react_lab import course

course.check("time_tool", time_tool)        # "not started", "wrong" or "right", and why
course.hint("time_tool", 1)                 # to 3, each tells more
course.solution("time_tool", show=True)     # one of several
mine = course.mine("split_reply", split_reply)  # your version of a piece, or ours until it passes
course.progress()                           # the table
"""

from react_lab.course.commands import check, hint, mine, progress, solution

__all__ = ["check", "hint", "mine", "progress", "solution"]
