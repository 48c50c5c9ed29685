"""The small search service, asked over HTTP as a learner's client asks it."""

import json
import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from react_lab.services.search_server import KEY, LARGEST, pages, serving

DIRECT = build_opener(ProxyHandler({}))  # never through a proxy


def fetch(request, timeout=20):
    """(status, headers, text) of a reply, also of an error."""
    try:
        with DIRECT.open(request, timeout=timeout) as reply:
            return reply.status, reply.headers, reply.read().decode()
    except HTTPError as error:
        return error.code, error.headers, error.read().decode()


def tavily(address, body, key=KEY, timeout=20):
    """Ask as Tavily's published client does."""
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return fetch(Request(f"{address}/search", data, headers), timeout)


def wikipedia(address, **asked):
    asked = {"action": "query", "list": "search", "format": "json"} | asked
    return fetch(f"{address}/w/api.php?{urlencode(asked)}")


@pytest.fixture(scope="module")
def address():
    with serving() as address:
        yield address


# What is found


@pytest.mark.parametrize(
    "query, title, fact",
    [
        ("How deep is Lake Baikal?", "Lake Baikal", "1,642 m"),
        ("the river Danube", "Danube", "2,850 km"),
        ("highest mountain in Africa", "Kilimanjaro", "5,895 m"),
        ("melting point of gold", "Gold", "1,064"),
        ("metal liquid at room temperature", "Mercury (element)", "13.5"),
        ("Who invented the telephone?", "Telephone", "7 March 1876"),
        ("moons of Mars", "Mars", "Phobos"),
        ("refund window", "Refund window", "30 days"),  # of the handbook
        ("退款期限", "退款期限", "30天"),
    ],
)
def test_the_best_page_comes_first_in_both_shapes(address, query, title, fact):
    status, _, text = tavily(address, {"query": query})
    first = json.loads(text)["results"][0]
    assert (status, first["title"]) == (200, title)
    assert fact in first["content"]
    status, _, text = wikipedia(address, srsearch=query)
    assert (status, json.loads(text)["query"]["search"][0]["title"]) == (200, title)


def test_a_tavily_reply_has_the_fields_of_the_published_client(address):
    status, headers, text = tavily(address, {"query": "river", "max_results": 3})
    assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    reply = json.loads(text)
    assert reply["query"] == "river"
    assert {"answer", "follow_up_questions", "images", "response_time"} < set(reply)
    assert len(reply["results"]) == 3
    for result in reply["results"]:
        assert set(result) == {"title", "url", "content", "score"}
        assert re.match(r"https://(encyclopedia|handbook)\.example/\S+$", result["url"])
    scores = [result["score"] for result in reply["results"]]
    assert scores == sorted(scores, reverse=True) and 0 < min(scores) and max(scores) <= 1


def test_tavily_gives_five_results_unless_told(address):
    assert len(json.loads(tavily(address, {"query": "metal river moon"})[2])["results"]) == 5


def test_a_wikipedia_reply_has_the_fields_of_the_published_api(address):
    status, _, text = wikipedia(address, srsearch="deepest lake", srlimit=1)
    found = json.loads(text)["query"]
    assert status == 200 and found["searchinfo"]["totalhits"] > 1
    (page,) = found["search"]
    assert page["title"] == "Lake Baikal"
    assert page["ns"] == 0 and page["pageid"] > 0 and page["wordcount"] > 20
    assert page["snippet"] == (
        'With 1,642 m it is the <span class="searchmatch">deepest</span> '
        '<span class="searchmatch">lake</span> in the world.'
    )


@pytest.mark.parametrize("query", ["zzzz", "?!", "独角兽"])
def test_nothing_found_is_an_empty_list(address, query):
    status, _, text = tavily(address, {"query": query})
    assert (status, json.loads(text)["results"]) == (200, [])
    found = json.loads(wikipedia(address, srsearch=query)[2])["query"]
    assert found == {"searchinfo": {"totalhits": 0}, "search": []}


@pytest.mark.parametrize("query", ['"river" AND NOT *', "NEAR(river, lake) OR", "river'); DROP --"])
def test_signs_of_the_search_engine_mean_nothing(address, query):
    assert tavily(address, {"query": query})[0] == 200


def test_an_article_is_short_and_found_by_its_title(address):
    articles = [page for page in pages() if "encyclopedia" in page.url]
    assert len(articles) >= 25
    assert len({page.url for page in pages()}) == len(pages())
    for page in articles:
        assert 100 < len(page.text) < 400
        found = json.loads(tavily(address, {"query": page.title, "max_results": 1})[2])["results"]
        assert found[0]["title"] == page.title


# What is refused


@pytest.mark.parametrize("key", [None, "guess", ""])
def test_a_missing_or_wrong_key_is_refused_by_tavily_only(address, key):
    status, _, text = tavily(address, {"query": "river"}, key)
    assert (status, list(json.loads(text)["detail"])) == (401, ["error"])
    assert wikipedia(address, srsearch="river")[0] == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"no JSON", b"[]", b"\xff", {}, {"query": ""}, {"query": "river", "max_results": 21}],
)
def test_a_request_that_tavily_cannot_read_is_refused(address, body):
    status, _, text = tavily(address, body)
    assert status == 400 and json.loads(text)["detail"]["error"]


def test_wikipedia_tells_an_error_with_status_200(address):
    status, _, text = wikipedia(address, srsearch="")
    assert (status, json.loads(text)["error"]["code"]) == (200, "missingparam")
    status, _, text = wikipedia(address, srsearch="river", list="allpages")
    assert (status, json.loads(text)["error"]["code"]) == (200, "badvalue")


def test_without_a_format_wikipedia_sends_html(address):
    status, headers, text = wikipedia(address, srsearch="river", format="jsonfm")
    assert (status, headers.get_content_type(), text[:9]) == (200, "text/html", "<!DOCTYPE")


def test_an_unknown_path_is_404(address):
    assert fetch(f"{address}/wiki/Nile")[0] == 404
    assert fetch(Request(f"{address}/extract", b"{}"))[0] == 404


def test_a_request_has_a_largest_size(address):
    """The length is refused before anything is read."""
    connection = HTTPConnection(address.removeprefix("http://"), timeout=20)
    connection.putrequest("POST", "/search")
    connection.putheader("Content-Length", str(LARGEST + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


# What goes wrong on purpose


def test_401_whatever_the_key_is():
    with serving("401") as address:
        assert tavily(address, {"query": "river"})[0] == 401
        assert wikipedia(address, srsearch="river")[0] == 401


def test_429_says_how_long_to_wait():
    with serving("429") as address:
        status, headers, text = tavily(address, {"query": "river"})
        assert status == 429 and int(headers["Retry-After"]) > 0
        assert "Too many requests" in json.loads(text)["detail"]["error"]
        status, headers, text = wikipedia(address, srsearch="river")
        assert status == 429 and int(headers["Retry-After"]) > 0
        assert json.loads(text)["error"]["code"] == "ratelimited"


def test_html_comes_with_status_200():
    with serving("html") as address:
        for status, headers, text in (
            tavily(address, {"query": "river"}),
            wikipedia(address, srsearch="river"),
        ):
            assert (status, headers.get_content_type()) == (200, "text/html")
            with pytest.raises(ValueError):
                json.loads(text)


def test_empty_finds_nothing():
    with serving("empty") as address:
        assert json.loads(tavily(address, {"query": "river"})[2])["results"] == []
        assert json.loads(wikipedia(address, srsearch="river")[2])["query"]["search"] == []


def test_a_timeout_is_no_reply_at_all():
    with serving("timeout") as address, pytest.raises(TimeoutError):
        tavily(address, {"query": "river"}, timeout=0.2)


def test_an_unknown_fault_is_refused():
    with pytest.raises(ValueError, match="'401', '429', 'timeout'"), serving("500"):
        pass


# Its life


def test_two_run_side_by_side_and_end_with_their_blocks():
    with serving() as one:
        with serving("401") as other:
            assert tavily(one, {"query": "river"})[0] == 200
            assert tavily(other, {"query": "river"})[0] == 401
        assert tavily(one, {"query": "river"})[0] == 200
    host, port = one.removeprefix("http://").split(":")
    assert host == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=20)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to a child")
def test_the_command_says_where_it_listens_and_stops_at_ctrl_c():
    command = [sys.executable, "-m", "react_lab", "searchd"]
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a suite that a shell started in the background ignores SIGINT, and so would the child
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    printed = "".join(child.stdout.readline() for _ in range(4))
    address, key = re.search(r"SEARCH_URL=(\S+)\s+SEARCH_KEY=(\S+)", printed).groups()
    assert tavily(address, {"query": "river"}, key)[0] == 200
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=60)
    assert (child.returncode, out.strip(), errors) == (0, "Stopped.", "")


def test_a_port_that_is_taken_is_named(address):
    port = address.rpartition(":")[2]
    command = [sys.executable, "-m", "react_lab", "searchd", "--port", port]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"Port {port} cannot be used")
