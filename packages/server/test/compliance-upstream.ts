// An upstream that does what it is asked: says a sentence, calls the tool it must, fills in the schema it is given.
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';

/** What it says when nothing else is wanted. */
export const COMPLIANCE_SENTENCE = 'CANARY_OK, and one two three four five.';

interface RequestedContent {
  readonly tool: { readonly name: string; readonly input: JsonObject } | undefined;
  readonly text: string;
}

/** Answers Chat and Messages requests, streamed or whole; anything else is a 404. */
export function replyToComplianceRequest(request: ReceivedRequest): UpstreamReply {
  const body = objectOrEmpty(JSON.parse(request.body.toString('utf8') || '{}'));
  const isStream = body['stream'] === true;
  if (request.path.endsWith('/chat/completions')) return chatReply(body, isStream);
  if (request.path.endsWith('/messages')) return messagesReply(body, isStream);
  return createJsonReply({ error: { message: 'no such path' } }, 404);
}

/** A value that a JSON schema of plain kinds accepts. */
function fillSchema(schema: unknown): JsonObject[string] {
  if (!isJsonObject(schema)) return {};
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (schema['const'] !== undefined) return schema['const'];
  switch (schema['type']) {
    case 'string':
      return 'ok';
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [fillSchema(schema['items']) ?? null];
    default: {
      const members = Object.entries(objectOrEmpty(schema['properties'] ?? {}));
      return Object.fromEntries(members.map(([name, inner]) => [name, fillSchema(inner)]));
    }
  }
}

function requestedContent(
  tools: readonly JsonObject[],
  schemaOf: (tool: JsonObject) => unknown,
  format: unknown,
): RequestedContent {
  const [tool] = tools;
  if (tool)
    return {
      tool: { name: String(tool['name']), input: objectOrEmpty(fillSchema(schemaOf(tool))) },
      text: '',
    };
  return {
    tool: undefined,
    text: isJsonObject(format) ? JSON.stringify(fillSchema(format)) : COMPLIANCE_SENTENCE,
  };
}

function chatReply(body: JsonObject, isStream: boolean): UpstreamReply {
  const asked = body['messages'];
  const answered = objectsOrEmpty(asked).some(({ role }) => role === 'tool');
  const tools = answered ? [] : objectsOrEmpty(body['tools']).map((tool) => objectOrEmpty(tool['function']));
  const format = objectOrEmpty(body['response_format'] ?? {})['json_schema'];
  const { tool, text } = requestedContent(
    tools,
    (one) => one['parameters'],
    isJsonObject(format) ? format['schema'] : undefined,
  );
  const call = tool && {
    id: 'call_1',
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  };
  const finish_reason = call ? 'tool_calls' : 'stop';
  const head = { id: 'chatcmpl-1', created: 1_800_000_000, model: 'able' };
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  if (!isStream) {
    const message = { role: 'assistant', content: call ? null : text, ...(call && { tool_calls: [call] }) };
    return createJsonReply({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  }
  const chunk = (delta: JsonObject, finish: string | null = null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const said = call
    ? [{ tool_calls: [{ index: 0, ...call }] }]
    : text.split(/(?<= )/).map((content) => ({ content }));
  return createSseReply([
    chunk({ role: 'assistant', content: '' }),
    ...said.map((delta) => chunk(delta)),
    chunk({}, finish_reason),
    { ...head, object: 'chat.completion.chunk', choices: [], usage },
    'data: [DONE]\n\n',
  ]);
}

function messagesReply(body: JsonObject, isStream: boolean): UpstreamReply {
  const answered = JSON.stringify(body['messages']).includes('"tool_result"');
  const tools = answered ? [] : objectsOrEmpty(body['tools']);
  const format = objectOrEmpty(objectOrEmpty(body['output_config'] ?? {})['format'] ?? {})['schema'];
  const { tool, text } = requestedContent(tools, (one) => one['input_schema'], format);
  const block: JsonObject = tool
    ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: tool.input }
    : { type: 'text', text };
  const usage = { input_tokens: 11, output_tokens: 7 };
  const stop_reason = tool ? 'tool_use' : 'end_turn';
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'able', stop_sequence: null };
  if (!isStream) return createJsonReply({ ...message, content: [block], stop_reason, usage });
  const delta = tool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) }
    : { type: 'text_delta', text };
  const events: JsonObject[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: tool ? { ...block, input: {} } : { ...block, text: '' },
    },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return createSseReply(events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`));
}
