"""What learners hand in: for each exercise two right solutions, and wrong ones that people write.

A wrong one stands with the words that its check must say about it.
"""

import ast
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from datetime import timedelta
from html import unescape
from zoneinfo import ZoneInfo

from react_lab import parser
from react_lab.context import RuleSummary, added, join, split
from react_lab.course.parser_fault import parse_first
from react_lab.loop import Agent, step
from react_lab.parser import Action, FinalAnswer, Malformed, believed, parse
from react_lab.prompt import system_prompt
from react_lab.registry import Tool
from react_lab.stops import plain

CITIES = {"Oslo": "Europe/Oslo", "Lima": "America/Lima"}
RIGHT, WRONG = [], []  # (exercise, work) and (exercise, work, words)


def right(exercise):
    def keep(work):
        RIGHT.append((exercise, work))
        return work

    return keep


def wrong(exercise, words):
    def keep(work):
        WRONG.append((exercise, work, words))
        return work

    return keep


# 1. A time tool ------------------------------------------------------------------------------


def local(city, moment):
    if city not in CITIES:
        raise ValueError(f"No time is known for {city}.")
    return f"{moment.astimezone(ZoneInfo(CITIES[city])):%H:%M}"


@right("time_tool")
def clock_by_decorator(tools, now):
    @tools.register
    def utc_time():
        """The time in UTC."""
        return f"It is {now():%H:%M} UTC."

    @tools.register
    def time_in(city: str):
        """The time in a city."""
        return local(city, now())

    return system_prompt(tools)


@right("time_tool")
def clock_by_hand(tools, now):
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools.add(Tool("utc_time", "Time in UTC.", {}, lambda: now().time().isoformat("minutes")))
    tools.add(Tool("time_in", "Time in a city.", city, lambda city: local(city, now())))
    lines = [f"{tool.name}: {tool.description}" for tool in tools]
    return "You have these tools:\n" + "\n".join(lines) + "\nWrite Action and Action Input."


@wrong("time_tool", "it does not name utc_time")
def clock_not_listed(tools, now):
    prompt = system_prompt(tools)
    clock_by_decorator(tools, now)
    return prompt


@wrong("time_tool", "a tool named time_in too")
def clock_without_cities(tools, now):
    tools.register(lambda: f"{now():%H:%M}", name="utc_time", description="Time in UTC.")
    return system_prompt(tools)


@wrong("time_tool", "Action: utc_time\n  Action Input: {}\n  at 01 June, 12:00 UTC")
def clock_with_a_parameter_too_many(tools, now):
    tools.register(lambda zone: f"{now():%H:%M}", name="utc_time", description="Time in UTC.")
    tools.register(lambda city: local(city, now()), name="time_in", description="Time in a city.")
    return system_prompt(tools)


@wrong("time_tool", "yours:    12:00\n  expected: 09:30 in the observation")
def clock_that_stands_still(tools, now):
    moment = now()
    tools.register(lambda: f"{moment:%H:%M}", name="utc_time", description="Time in UTC.")
    tools.register(lambda city: local(city, now()), name="time_in", description="Time in a city.")
    return system_prompt(tools)


@wrong("time_tool", "yours:    11:30\n  expected: 10:30 in the observation")
def clock_without_winter(tools, now):
    hours = {"Oslo": 2, "Lima": -5}

    def time_in(city):
        return f"{now() + timedelta(hours=hours[city]):%H:%M}"

    tools.register(lambda: f"{now():%H:%M}", name="utc_time", description="Time in UTC.")
    tools.register(time_in, description="Time in a city.")
    return system_prompt(tools)


@wrong("time_tool", "a clock that answers for any city lies")
def clock_that_lies(tools, now):
    def time_in(city):
        return f"{now().astimezone(ZoneInfo(CITIES.get(city, 'UTC'))):%H:%M}"

    tools.register(lambda: f"{now():%H:%M}", name="utc_time", description="Time in UTC.")
    tools.register(time_in, description="Time in a city.")
    return system_prompt(tools)


@right("time_tool")
def clock_that_says_that_a_city_is_unknown(tools, now):
    def time_in(city):
        known = city in CITIES
        return local(city, now()) if known else f"I do not know the time in {city}."

    tools.register(lambda: f"{now():%H:%M}", name="utc_time", description="Time in UTC.")
    tools.register(time_in, description="Time in a city.")
    return system_prompt(tools)


@wrong("time_tool", "a sentence or a ValueError that says that the city is not known")
def clock_with_a_bare_key_error(tools, now):
    def time_in(city):
        return f"{now().astimezone(ZoneInfo(CITIES[city])):%H:%M}"

    tools.register(lambda: f"{now():%H:%M}", name="utc_time", description="Time in UTC.")
    tools.register(time_in, description="Time in a city.")
    return system_prompt(tools)


@wrong("time_tool", "yours:    None\n  expected: the system prompt, a text")
def clock_without_a_prompt(tools, now):
    clock_by_decorator(tools, now)


@wrong("time_tool", "TypeError: 'datetime.datetime' object is not callable")
def clock_that_raises(tools, now):
    return clock_by_decorator(tools, now()()) or ""


# 2. Repeat detection --------------------------------------------------------------------------


def loop(look, ended=(None, "repeats"), before=True):
    """The loop of notebook 05 with a rule. look: (moves and results, move, result) -> bool."""

    def work(question, model, tools, limit=8):
        messages = [{"role": "system", "content": system_prompt(tools)}]
        messages += [{"role": "user", "content": f"Question: {question}"}]
        calls = []
        for _ in range(limit):
            text = model(messages).text
            move = parse(text, tools.parameters())
            if isinstance(move, FinalAnswer):
                return move.answer, "answered"
            if isinstance(move, Malformed):
                result = move.reason
            else:
                if before and look(calls, move):
                    return ended
                result = tools.call(move.tool, move.arguments).text
                calls.append((move, result))
                if not before and look(calls[:-1], move):
                    return ended
            messages += [{"role": "assistant", "content": believed(text)}]
            messages += [{"role": "user", "content": f"Observation: {result}"}]
        return None, "step limit"

    return work


def asked(move):
    return move.tool, tuple((name, plain(value)) for name, value in move.arguments.items())


def three_the_same(calls, move):
    last = [(asked(old), result) for old, result in calls[-2:]]
    return len(last) == 2 and last[0] == last[1] and last[0][0] == asked(move)


right("repeat_detection")(loop(three_the_same))


@right("repeat_detection")
def loop_with_a_counter(question, model, tools):
    messages = [{"role": "user", "content": f"{system_prompt(tools)}\nQuestion: {question}"}]
    key, seen, count = None, None, 0
    while True:
        text = model(messages).text
        move = parse(text, tools.parameters())
        if isinstance(move, FinalAnswer):
            return move.answer, "answered"
        if isinstance(move, Action):
            new = asked(move) != key
            if not new and count == 2:
                return None, "repeated the same call"
            result = tools.call(move.tool, move.arguments).text
            count = 1 if new or result != seen else count + 1
            key, seen = asked(move), result
        else:
            result = move.reason
        messages.append({"role": "assistant", "content": text})
        messages.append({"role": "user", "content": f"Observation: {result}"})


@wrong("repeat_detection", "three cities, so one tool with three inputs")
def loop_by_name_only(question, model, tools):
    def look(calls, move):
        return [old.tool for old, _ in calls[-2:]] == [move.tool] * 2

    return loop(look)(question, model, tools)


@wrong("repeat_detection", "a tool that does not exist, three times")
def loop_that_does_not_count_unknown_tools(question, model, tools):
    def look(calls, move):
        return move.tool in tools and three_the_same(calls, move)

    return loop(look)(question, model, tools)


@wrong("repeat_detection", "the third of its kind is not run any more")
def loop_that_runs_the_third_call(question, model, tools):
    return loop(three_the_same, before=False)(question, model, tools)


@wrong("repeat_detection", "None for the answer: only what the model answers is one")
def loop_that_returns_its_notice(question, model, tools):
    ended = "I stopped, because the same call came three times.", "repeats"
    return loop(three_the_same, ended)(question, model, tools)


@wrong("repeat_detection", "a job that is polled, with a new state each time")
def loop_that_stops_a_poll(question, model, tools):
    def look(calls, move):
        return [asked(old) for old, _ in calls[-2:]] == [asked(move)] * 2

    return loop(look)(question, model, tools)


@wrong("repeat_detection", "three times the same, but not in a row")
def loop_that_counts_in_all(question, model, tools):
    def look(calls, move):
        return (
            sum(asked(old) == asked(move) and not old.arguments.get("job") for old, _ in calls) > 1
        )

    return loop(look)(question, model, tools)


@wrong("repeat_detection", "near repeats: Oslo, then ' oslo', then 'OSLO.'")
def loop_that_compares_letter_by_letter(question, model, tools):
    def look(calls, move):
        last = [(old.tool, old.arguments, result) for old, result in calls[-2:]]
        same = len(last) == 2 and last[0] == last[1]
        return same and last[0][:2] == (move.tool, move.arguments)

    return loop(look)(question, model, tools)


@wrong("repeat_detection", "use it on each value")
def loop_with_plain_on_all_arguments(question, model, tools):
    def look(calls, move):
        last = [(old.tool, plain(old.arguments), result) for old, result in calls[-2:]]
        same = len(last) == 2 and last[0] == last[1]
        return same and last[0][:2] == (move.tool, plain(move.arguments))

    return loop(look)(question, model, tools)


@wrong("repeat_detection", "expected: (None, 'repeats') after 2: here it goes in a circle")
def loop_that_only_looks(question, model, tools):
    return loop(lambda calls, move: False)(question, model, tools)


@wrong("repeat_detection", "a pair: the answer or None, and the reason")
def loop_that_returns_the_answer_alone(question, model, tools):
    return loop(three_the_same)(question, model, tools)[0]


@wrong("repeat_detection", "it asked for more than 30 replies")
def loop_without_an_end(question, model, tools):
    while True:
        try:
            model([{"role": "user", "content": question}])
        except Exception:
            pass


# 3. A real search API -------------------------------------------------------------------------


def post(query, timeout=2, key=None):
    address = os.environ["SEARCH_URL"]
    body = json.dumps({"query": query, "max_results": 3}).encode()
    headers = {"Authorization": f"Bearer {key or os.environ['SEARCH_KEY']}"}
    request = urllib.request.Request(f"{address}/search", body, headers)
    with urllib.request.urlopen(request, timeout=timeout) as reply:
        return reply.read().decode()


def lines(text):
    found = [f"{one['title']}: {one['content']}" for one in json.loads(text)["results"]]
    return "\n".join(found) or "No result. Try other words."


def explained(error):
    if error.code == 401:
        return ValueError("SEARCH_KEY is missing or wrong: the service refused the key.")
    return ValueError(f"The service is busy. Ask again in {error.headers['Retry-After']} seconds.")


@right("search_api")
def search_like_tavily(query: str) -> str:
    try:
        return lines(post(query))
    except urllib.error.HTTPError as error:
        raise explained(error) from None
    except json.JSONDecodeError:
        raise ValueError("The service sent HTML instead of JSON. Is this network open?") from None


@right("search_api")
def search_like_wikipedia(query: str) -> str:
    given = {"action": "query", "list": "search", "srsearch": query, "format": "json"}
    address = f"{os.environ['SEARCH_URL']}/w/api.php?{urllib.parse.urlencode(given)}"
    request = urllib.request.Request(address, headers={"User-Agent": "react_lab exercise"})
    try:
        reply = urllib.request.urlopen(request, timeout=2)
    except urllib.error.HTTPError as error:
        raise explained(error) from None
    with reply:
        if "json" not in reply.headers["Content-Type"]:
            raise ValueError("The service answered with a web page.")
        found = json.load(reply)["query"]["search"][:3]
    if not found:
        return f"There is nothing about {query!r}."
    texts = (unescape(re.sub("<.*?>", "", one["snippet"])) for one in found)
    return "\n".join(f"{one['title']}: {text}" for one, text in zip(found, texts))


@wrong("search_api", "only title and text of each result")
def search_that_returns_the_whole_json(query: str) -> str:
    return post(query)


@wrong("search_api", "the title 'Shipping to Norway'")
def search_that_returns_titles_only(query: str) -> str:
    return "\n".join(one["title"] for one in json.loads(post(query))["results"])


@wrong("search_api", "expected: what the service found, as text")
def search_with_a_key_of_its_own(query: str) -> str:
    return lines(post(query, key="my-key"))


@wrong("search_api", "is set to: 401")
def search_that_hides_every_error(query: str) -> str:
    try:
        return lines(post(query))
    except Exception:
        return "Nothing was found."


@wrong("search_api", "raise it as a ValueError, it is no result")
def search_that_returns_its_errors(query: str) -> str:
    try:
        return lines(post(query))
    except urllib.error.HTTPError as error:
        return str(explained(error))


@wrong("search_api", "how many seconds to wait: the header Retry-After says it")
def search_that_passes_the_error_on(query: str) -> str:
    return lines(post(query))


@wrong("search_api", "anything but your key")
def search_that_tells_its_key(query: str) -> str:
    try:
        return lines(post(query))
    except urllib.error.HTTPError as error:
        raise ValueError(f"The key {os.environ['SEARCH_KEY']} got {error.code}.") from None


@wrong("search_api", "a plain result: to find nothing is no error")
def search_that_raises_when_nothing_is_found(query: str) -> str:
    found = search_like_tavily(query)
    if found.startswith("No result"):
        raise ValueError("There is no result.")
    return found


@wrong("search_api", "that the service sent a web page (HTML) and no JSON")
def search_that_takes_a_web_page_for_json(query: str) -> str:
    try:
        return lines(post(query))
    except urllib.error.HTTPError as error:
        raise explained(error) from None


@wrong("search_api", "an error after 2 seconds: give urlopen a timeout")
def search_that_waits_for_ever(query: str) -> str:
    try:
        return lines(post(query, timeout=None))
    except urllib.error.HTTPError as error:
        raise explained(error) from None
    except json.JSONDecodeError:
        raise ValueError("The service sent HTML instead of JSON.") from None


@wrong("search_api", "The signature of search_without_words cannot be read")
def search_without_words(query: "Words") -> str:  # noqa: F821
    return lines(post(query))


# 4. A parser fault ------------------------------------------------------------------------------


@right("parser_fault")
def parser_that_cuts_first(text, tools):
    return parse_first(text.partition("\nObservation:")[0], tools)


@wrong("parser_fault", "a parser of your own")
def parser_of_the_lab(text, tools):
    return parser.parse(text, tools)


@right("parser_fault")
def parser_without_all_five(text, tools):
    text = re.split(r"^Observation:", text, flags=re.M)[0]
    text = re.sub(r"\*\*([A-Z][A-Za-z ]*:)\*\*", r"\1", text)
    if answer := re.search(r"^Final Answer:(.*)", text, re.M | re.S):
        return FinalAnswer("", answer[1].strip())
    name = re.search(r"^Action:\s*([\w-]+)", text, re.M)
    if name is None:
        return Malformed("", "there is no Action and no Final Answer")
    start = text.index("{", text.index("Action Input:"))
    return Action("", name[1], json.JSONDecoder().raw_decode(text, start)[0])


@right("parser_fault")
def parser_that_reads_names_with_hyphens(text, tools):
    move = parse_first(text, tools)
    name = re.search(r"^Action: *[\"']?([\w-]+)", text, re.M)
    return Action("", name[1], move.arguments) if isinstance(move, Action) and name else move


@right("parser_fault")
def parser_that_counts_braces(text, tools):
    move = parse_first(text, tools)
    start = text.find("{", text.find("Action Input:"))
    if isinstance(move, FinalAnswer) or start < 0:
        return move
    name = re.search(r"^(?:\*\*)?Action:(?:\*\*)?\s*(\w+)", text, re.M)[1]
    return Action("", name, json.JSONDecoder().raw_decode(text, start)[0])


@right("parser_fault")
def parser_that_cleans_labels_only(text, tools):
    text = re.sub(r"\*\*([A-Z][A-Za-z ]*:)\*\*", r"\1", text).replace("**", "^")
    move = parse_first(text, tools)
    if isinstance(move, Action):
        given = {name: str(value).replace("^", "**") for name, value in move.arguments.items()}
        return Action("", move.tool, given)
    return move


@right("parser_fault")
def parser_that_says_unreadable(text, tools):
    move = parse_first(text, tools)
    invented = isinstance(move, FinalAnswer) and "Final Answer:" not in text
    return Malformed("", "there is no Action and no Final Answer") if invented else move


@wrong("parser_fault", "the fault 'emphasis': every ** is deleted")
def parser_that_changes_nothing(text, tools):
    return parse_first(text, tools)


@wrong("parser_fault", "the fault 'forged': an answer after an Observation")
def parser_that_returns_a_refusal(text, tools):
    move = parse_first(text, tools)
    return Malformed("", "forged") if "\nObservation:" in text else move


@wrong("parser_fault", "a reply that parse_first reads right\n  Action: calculator")
def parser_with_a_greedy_brace(text, tools):
    move = parse_first(text, tools)
    given = re.search(r"Action Input:\s*(\{.*\})", text, re.S)
    try:
        return Action("", move.tool, json.loads(given[1])) if given else move
    except ValueError:
        return Malformed("", "the input is no JSON")
    except AttributeError:
        return move


@wrong("parser_fault", "a reply that parse_first reads right\n  **Thought:** a sum.")
def parser_that_keeps_all_stars(text, tools):
    name = re.search(r"^Action:\s*(\w+)", text, re.M)
    if name is None or "Final Answer:" in text:
        return FinalAnswer("", text.split("Final Answer:")[-1].strip())
    given = re.search(r"Action Input:\s*(\{.*?\})", text, re.S)
    return Action("", name[1], json.loads(given[1]))


@wrong("parser_fault", "a reply that parse_first reads right\n  Thought: The Observation: 31 rows")
def parser_that_cuts_inside_a_thought(text, tools):
    return parse_first(text.split("Observation:")[0], tools)


@wrong("parser_fault", "an Action, a FinalAnswer or a Malformed")
def parser_that_returns_a_pair(text, tools):
    move = parse_first(text, tools)
    return (move.tool, move.arguments) if isinstance(move, Action) else move.answer


@wrong("parser_fault", "the fault 'braces': the input ends at the first closing brace")
def parser_that_mends_half_of_a_fault(text, tools):
    move = parse_first(text, tools)
    given = re.search(r'Action Input: (\{.*"mail": "[^"]*"\})$', text, re.S)
    return Action("", move.tool, json.loads(given[1])) if given else move


@wrong("parser_fault", "SyntaxError")
def parser_that_raises(text, tools):
    move = parse_first(text, tools)
    if isinstance(move, Action) and "(" in text:
        return Action("", move.tool, ast.literal_eval(text))
    return move


# 5. A context policy ----------------------------------------------------------------------------


@right("context_policy")
def policy_by_rule(messages):
    return RuleSummary(n=1, cut=150)(messages)


@right("context_policy")
def policy_that_keeps_the_first_two_rounds_and_the_last(messages):
    head, rounds = split(messages)
    return join(head, rounds if len(rounds) < 4 else [*rounds[:2], rounds[-1]])


@right("context_policy")
def policy_that_keeps_numbers(messages):
    head, rounds = split(messages)
    told = []
    for one in rounds[:-1]:
        told += [part for part in one[1]["content"].split(". ") if re.search(r"\d", part)]
    return join(added(head, "\n".join(told)) if told else head, rounds[-1:])


@right("context_policy")
def policy_that_cuts_results_and_thoughts(messages):
    def short(one):
        if one["role"] == "assistant":
            return {**one, "content": one["content"].partition("\n")[2]}
        return {**one, "content": one["content"][:138]}

    return [*messages[:2], *map(short, messages[2:-2]), *messages[-2:][: len(messages) - 2]]


@wrong("context_policy", "the tokens sent, with no case lost")
def policy_that_sends_all(messages):
    return messages


@wrong("context_policy", "lost: What is the number of the mill, and what is that of the ferry?")
def policy_that_forgets(messages):
    head, rounds = split(messages)
    return join(head, rounds[-2:])


@wrong("context_policy", "lost: What is the number of the tower, and what is that of the school?")
def policy_that_cuts_blindly(messages):
    return RuleSummary(n=1, cut=80)(messages)


@wrong("context_policy", "the system prompt, as it was")
def policy_without_the_system_prompt(messages):
    return RuleSummary(n=1, cut=150)(messages)[1:]


@wrong("context_policy", "a call and its result stay together, or go together")
def policy_without_calls(messages):
    return [one for one in messages if one["role"] != "assistant"]


@wrong("context_policy", "yours:    None\n  expected: a list of messages")
def policy_that_changes_in_place(messages):
    del messages[2:-2]


@wrong("context_policy", "a list of messages, each with role and content")
def policy_that_returns_a_text(messages):
    return "\n".join(one["content"] for one in messages)


# 6. A side effect that needs approval ----------------------------------------------------------


def with_mail(tools, outbox, effect="write"):
    @tools.register(effect=effect)
    def send_mail(to: str, text: str) -> str:
        """Send a mail."""
        outbox.append((to, text))
        return "sent"


@right("approval")
def mail_by_a_function(question, model, tools, outbox, allowed):
    with_mail(tools, outbox)
    return Agent(model, tools, approve=lambda action, run: allowed(action)).run(question)


@right("approval")
def mail_by_a_loop(question, model, tools, outbox, allowed):
    with_mail(tools, outbox)
    agent = Agent(model, tools)
    run = agent.run(question)
    while run.pending:
        run = agent.run(step(run, agent, approve=allowed(run.pending), note="Said by me."))
    return run


@wrong("approval", "yours:    asked about nothing")
def mail_that_only_reads(question, model, tools, outbox, allowed):
    with_mail(tools, outbox, effect="read")
    return Agent(model, tools, approve=lambda action, run: allowed(action)).run(question)


@wrong("approval", "yours:    asked about nothing")
def mail_with_a_yes_for_all(question, model, tools, outbox, allowed):
    with_mail(tools, outbox)
    return Agent(model, tools, approve=lambda action, run: True).run(question)


@wrong("approval", "takes 1 positional argument but 2 were given")
def mail_that_gives_allowed_as_it_is(question, model, tools, outbox, allowed):
    with_mail(tools, outbox)
    return Agent(model, tools, approve=allowed).run(question)


@wrong("approval", "the mail to ada was sent before the person was asked")
def mail_that_asks_afterwards(question, model, tools, outbox, allowed):
    with_mail(tools, outbox, effect="read")
    run = Agent(model, tools).run(question)
    calls = [past.move for past in run.steps if isinstance(past.move, Action)]
    outbox[:] = [
        (one.arguments["to"], one.arguments["text"])
        for one in calls
        if one.tool == "send_mail" and allowed(one)
    ]
    return run


@wrong("approval", "answered: after a yes or a no the run goes on")
def mail_that_stops_to_wait(question, model, tools, outbox, allowed):
    with_mail(tools, outbox)
    agent = Agent(model, tools)
    run = agent.run(question)
    return step(run, agent, approve=allowed(run.pending)) if run.pending else run


@wrong("approval", "yours:    asked about ada\n  expected: asked about ada, bo")
def mail_with_one_yes_for_the_whole_run(question, model, tools, outbox, allowed):
    with_mail(tools, outbox)
    said = []

    def approve(action, run):
        said[:] = said or [allowed(action)]
        return said[0]

    return Agent(model, tools, approve=approve).run(question)


@wrong("approval", "asked about get_weather")
def mail_that_asks_about_everything(question, model, tools, outbox, allowed):
    with_mail(tools, outbox)

    said = []

    def guarded(messages):
        reply = model(messages)
        move = parse(reply.text, tools.parameters())
        said.append(isinstance(move, FinalAnswer) or allowed(move))
        return reply

    return Agent(guarded, tools, approve=lambda action, run: said[-1]).run(question)


@right("approval")
def mail_that_asks_in_the_tool(question, model, tools, outbox, allowed):
    @tools.register
    def send_mail(to: str, text: str) -> str:
        """Send a mail."""
        if not allowed(Action("", "send_mail", {"to": to, "text": text})):
            return f"The mail to {to} was not sent."
        outbox.append((to, text))
        return f"The mail to {to} was sent."

    return Agent(model, tools).run(question)


@wrong(
    "approval",
    "yours:    Done. The tool returned nothing.\n  expected: an observation",
)
def mail_that_returns_nothing_after_a_no(question, model, tools, outbox, allowed):
    @tools.register
    def send_mail(to: str, text: str) -> str:
        """Send a mail."""
        if allowed(Action("", "send_mail", {"to": to, "text": text})):
            outbox.append((to, text))
            return "sent"

    return Agent(model, tools).run(question)


@wrong("approval", "an observation that says that this mail was not sent")
def mail_that_tells_the_model_nothing(question, model, tools, outbox, allowed):
    @tools.register
    def send_mail(to: str, text: str) -> str:
        """Send a mail."""
        if allowed(Action("", "send_mail", {"to": to, "text": text})):
            outbox.append((to, text))
        return "sent"

    return Agent(model, tools).run(question)


@wrong("approval", "a tool named send_mail too")
def mail_without_a_tool(question, model, tools, outbox, allowed):
    return Agent(model, tools).run(question)
