"""Asks through the SDK it is told to: one question per line of standard input, what its user sees per line of
output. Started by packages/server/test/run-clients.ts."""

import functools
import json
import sys

import anthropic
import openai

QUESTION = "How thick is the ice?"
TOOLS = ["look_up", "measure", "now"]
PARAMETERS = {"type": "object", "properties": {}, "additionalProperties": True}


@functools.cache
def openai_client(url, key):
    return openai.OpenAI(base_url=url, api_key=key, max_retries=0)


@functools.cache
def anthropic_client(url, key):
    return anthropic.Anthropic(base_url=url, api_key=key, max_retries=0)


def ask_chat(question):
    body = {"model": question["model"], "messages": [{"role": "user", "content": QUESTION}]}
    if question["want"] == "tools":
        body["tools"] = [
            {"type": "function", "function": {"name": name, "parameters": PARAMETERS}} for name in TOOLS
        ]
    if question["want"] == "thinking":
        body["reasoning_effort"] = "low"
    completions = openai_client(question["url"], question["key"]).chat.completions
    if question["stream"]:
        with completions.stream(**body, stream_options={"include_usage": True}) as stream:
            answer = stream.get_final_completion()
    else:
        answer = completions.create(**body)
    choice, usage = answer.choices[0], answer.usage
    details = usage.prompt_tokens_details if usage else None
    return {
        "text": choice.message.content or "",
        "refusal": choice.message.refusal or "",
        "thinking": getattr(choice.message, "reasoning_content", None) or "",
        "calls": [
            {"id": call.id, "name": call.function.name, "input": json.loads(call.function.arguments or "{}")}
            for call in choice.message.tool_calls or []
        ],
        "finish": choice.finish_reason,
        "usage": {
            "input": usage.prompt_tokens if usage else None,
            "cached": (details.cached_tokens or 0) if details else 0,
            "output": usage.completion_tokens if usage else None,
        },
    }


def ask_responses(question):
    body = {"model": question["model"], "input": QUESTION}
    if question["want"] == "tools":
        body["tools"] = [
            {"type": "function", "name": name, "parameters": PARAMETERS, "strict": False} for name in TOOLS
        ]
    if question["want"] == "thinking":
        body["reasoning"] = {"effort": "low", "summary": "auto"}
    responses = openai_client(question["url"], question["key"]).responses
    if question["stream"]:
        answer = None
        with responses.stream(**body) as stream:
            for event in stream:
                if event.type in ("response.completed", "response.incomplete", "response.failed"):
                    answer = event.response
                if event.type == "error":
                    raise RuntimeError(event.message)
        if answer is None:
            raise EOFError("the stream ended without its last event")
    else:
        answer = responses.create(**body)
    if answer.error is not None:
        return {"error": {"name": "response.failed", "status": None, "message": answer.error.message}}
    parts = [part for item in answer.output if item.type == "message" for part in item.content]
    reasoning = [item for item in answer.output if item.type == "reasoning"]
    reason = answer.incomplete_details.reason if answer.incomplete_details else None
    usage = answer.usage
    return {
        "text": answer.output_text,
        "refusal": "".join(part.refusal for part in parts if part.type == "refusal"),
        "thinking": "".join(part.text for item in reasoning for part in item.summary),
        "calls": [
            {"id": item.call_id, "name": item.name, "input": json.loads(item.arguments or "{}")}
            for item in answer.output
            if item.type == "function_call"
        ],
        "finish": reason or answer.status,
        "usage": {
            "input": usage.input_tokens if usage else None,
            "cached": usage.input_tokens_details.cached_tokens if usage else 0,
            "output": usage.output_tokens if usage else None,
        },
    }


def ask_messages(question):
    client = anthropic_client(question["url"].removesuffix("/v1"), question["key"])
    body = {
        "model": question["model"],
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": QUESTION}],
    }
    if question["want"] == "tools":
        body["tools"] = [{"name": name, "input_schema": PARAMETERS} for name in TOOLS]
    if question["want"] == "thinking":
        body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    if question["stream"]:
        with client.messages.stream(**body) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**body)
    cached = answer.usage.cache_read_input_tokens or 0
    written = answer.usage.cache_creation_input_tokens or 0
    return {
        "text": "".join(block.text for block in answer.content if block.type == "text"),
        "refusal": "",
        "thinking": "".join(block.thinking for block in answer.content if block.type == "thinking"),
        "calls": [
            {"id": block.id, "name": block.name, "input": block.input}
            for block in answer.content
            if block.type == "tool_use"
        ],
        "finish": answer.stop_reason,
        "usage": {
            "input": answer.usage.input_tokens + cached + written,
            "cached": cached,
            "output": answer.usage.output_tokens,
        },
    }


CLIENTS = {
    "python openai chat": ask_chat,
    "python openai responses": ask_responses,
    "python anthropic messages": ask_messages,
}


def failure(error):
    status = getattr(error, "status_code", None)
    return {"error": {"name": type(error).__name__, "status": status, "message": str(error)}}


for line in sys.stdin:
    asked = json.loads(line)
    try:
        seen = CLIENTS[asked["client"]](asked)
    except Exception as error:  # what the SDK raises is the answer
        seen = failure(error)
    print(json.dumps(seen), flush=True)
