"""nbgrader's settings for the exercises of the lab. Copy it to the folder of the course."""

c = get_config()  # noqa: F821 (nbgrader brings it)

c.CourseDirectory.course_id = "react_lab"
c.ClearSolutions.code_stub = {"python": "..."}  # as in the learners' notebook
c.Execute.timeout = 300  # seconds for a cell: a check waits where a tool must give up
