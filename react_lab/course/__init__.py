"""Course: the exercises with their checks, hints and solutions; working copies; the doctor.

from react_lab import course

course.check("time_tool", time_tool)        # "not started", "wrong" or "right", and why
course.hint("time_tool", 1)                 # 1 to 3; each says more
course.solution("time_tool", show=True)     # one of several
mine = course.mine("split_reply", split_reply)  # your version of a piece, or ours until it passes
course.progress()                           # the table of all notebooks
course.answer("split_reply")                # what you wrote, also after a restart or an update
course.completion("Ada")                    # a page to print or hand in
"""

from react_lab.course.commands import answer, check, completion, hint, mine, progress, solution

__all__ = ["answer", "check", "completion", "hint", "mine", "progress", "solution"]
