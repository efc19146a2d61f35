"""Whatever a client sends, the server answers, and never with a 500."""

from __future__ import annotations

import json

from asking import APPLY, CHAT, MESSAGE
from cart import CART, TOTAL, UNCLEAR
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
TAGGED = st.lists(
    st.sampled_from(
        [
            "<code>",
            "</code>",
            "<update>",
            "</update>",
            "<instruction>",
            "</instruction>",
            CART,
            TOTAL,
            "x\n",
            "\0",
        ]
    )
    | st.text(max_size=10),
    max_size=9,
).map("".join)
VALUE = ANY_JSON | TAGGED | st.sampled_from([CART, TOTAL, UNCLEAR, MESSAGE])
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "system", "tool"]) | ANY_JSON, "content": VALUE})
    | ANY_JSON,
    max_size=3,
)
BODIES = st.fixed_dictionaries(
    {},
    optional={
        "messages": MESSAGES | VALUE,
        "prediction": st.fixed_dictionaries({"type": st.just("content"), "content": VALUE}) | ANY_JSON,
        "stream": ANY_JSON,
        "stream_options": ANY_JSON,
        "n": ANY_JSON,
        "model": ANY_JSON,
        "initial_code": VALUE,
        "editSnippet": VALUE,
        "edit_snippet": VALUE,
        "instruction": VALUE,
        "filename": ANY_JSON,
        "metadata": ANY_JSON,
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from([CHAT, APPLY]), body=BODIES | ANY_JSON)
def test_any_json_is_answered_and_never_with_a_500(client, path, body):
    """A merge that is right, or an error of 4xx with a message; a bug would come out here."""
    answer = client.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code in {200, 400, 422}
    if answer.status_code != 200:
        error = answer.json()["error"]
        assert error["message"]
        assert error["code"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(max_size=200) | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")),
    path=st.text(st.characters(codec="ascii", min_codepoint=33), max_size=20),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]),
)
def test_any_bytes_to_any_address_are_answered_and_never_with_a_500(client, data, path, method):
    """Whatever the address and the method."""
    for where in (f"/{path}", CHAT, APPLY):
        try:
            answer = client.request(method, where, content=data)
        except Exception as error:  # noqa: BLE001 - an address that the client itself does not take
            assert "URL" in type(error).__name__  # noqa: PT017 - nothing of the server's
            continue
        assert 200 <= answer.status_code < 500
