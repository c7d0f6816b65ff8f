// A model that follows a script in every dialect: it orders one tool, and when the result has come says its last words.
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, objectsOrEmpty, type TestDialect } from '../answer-content.ts';
import { scriptedCohereReply, scriptedConverseReply } from './scripted-clouds.ts';

/** What the model orders; tools that only chat about the task (titles, summaries) are not offered it. */
export interface ToolOrder {
  readonly tool: string;
  readonly input: JsonObject;
  /** In Responses the tool is freeform, and gets this. */
  readonly freeform?: string;
}

/** What it says after a tool's result. */
export const FINAL_TEXT = 'The file is written, FLOE-LOOP-DONE.';
/** What it says to those who offer no such tool. */
export const NO_TOOL_TEXT = 'Ice';

type StreamEvent = { readonly type: string; readonly [member: string]: unknown };

const HEAD = { chat: 'chatcmpl-1', responses: 'resp_1', messages: 'msg_1', gemini: 'g1' };

/** One answer of the model. */
export type ScriptedTurn = { readonly call: ToolOrder } | { readonly text: string };

/** The answer of this dialect's upstream to a request, whole or as a stream. */
export function scriptedReply(
  dialect: TestDialect,
  request: ReceivedRequest,
  order: ToolOrder,
): UpstreamReply {
  const body = objectOrEmpty(JSON.parse(request.body.toString('utf8') || '{}'));
  if (request.path.includes('count_tokens')) return createJsonReply({ input_tokens: 100 });
  const turn = createTurn(dialect, body, order);
  const inPath = dialect === 'gemini' || dialect === 'converse';
  const isStream = inPath ? /stream/i.test(request.path) : body['stream'] === true;
  return WRITERS[dialect](turn, isStream);
}

/** Whether a request brings the result of the tool that was ordered. */
export function hasToolResult(dialect: TestDialect, body: JsonObject): boolean {
  switch (dialect) {
    case 'chat':
    case 'cohere':
      return objectsOrEmpty(body['messages']).some(({ role }) => role === 'tool');
    case 'responses':
      return objectsOrEmpty(body['input']).some(({ type }) => /_call_output$/.test(String(type)));
    case 'messages':
      return objectsOrEmpty(body['messages']).some(({ content }) =>
        objectsOrEmpty(content).some(({ type }) => type === 'tool_result'),
      );
    case 'converse':
      return objectsOrEmpty(body['messages']).some(({ content }) =>
        objectsOrEmpty(content).some(({ toolResult }) => toolResult !== undefined),
      );
    case 'gemini':
      return objectsOrEmpty(body['contents']).some(({ parts }) =>
        objectsOrEmpty(parts).some(({ functionResponse }) => functionResponse !== undefined),
      );
  }
}

/** Names of the tools a request offers. */
export function listOfferedTools(dialect: TestDialect, body: JsonObject): readonly string[] {
  const tools = objectsOrEmpty(body['tools'] ?? objectOrEmpty(body['toolConfig'])['tools']);
  const declared =
    dialect === 'gemini'
      ? tools.flatMap(({ functionDeclarations }) => objectsOrEmpty(functionDeclarations))
      : tools.map((tool) => [tool['function'], tool['toolSpec']].find(isJsonObject) ?? tool);
  return declared.map(({ name }) => String(name));
}

function createTurn(dialect: TestDialect, body: JsonObject, order: ToolOrder): ScriptedTurn {
  if (!listOfferedTools(dialect, body).includes(order.tool)) return { text: NO_TOOL_TEXT };
  return hasToolResult(dialect, body) ? { text: FINAL_TEXT } : { call: order };
}

const WRITERS: Readonly<Record<TestDialect, (turn: ScriptedTurn, isStream: boolean) => UpstreamReply>> = {
  chat: scriptedChatReply,
  responses: scriptedResponsesReply,
  messages: scriptedMessagesReply,
  gemini: scriptedGeminiReply,
  converse: scriptedConverseReply,
  cohere: scriptedCohereReply,
};

function scriptedChatReply(turn: ScriptedTurn, isStream: boolean): UpstreamReply {
  const call = 'call' in turn && {
    id: 'call_1',
    type: 'function',
    function: { name: turn.call.tool, arguments: JSON.stringify(turn.call.input) },
  };
  const said = { content: 'text' in turn ? turn.text : null };
  const finish_reason = call ? 'tool_calls' : 'stop';
  const head = { id: HEAD.chat, created: 1_800_000_000, model: 'm-1' };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  if (!isStream) {
    const message = { role: 'assistant', ...said, ...(call && { tool_calls: [call] }) };
    const choices = [{ index: 0, message, finish_reason }];
    return createJsonReply({ ...head, object: 'chat.completion', choices, usage });
  }
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return createSseReply([
    chunk({ role: 'assistant', content: '' }),
    chunk(call ? { tool_calls: [{ index: 0, ...call }] } : said),
    chunk({}, finish_reason),
    { ...head, object: 'chat.completion.chunk', choices: [], usage },
    'data: [DONE]\n\n',
  ]);
}

function scriptedMessagesReply(turn: ScriptedTurn, isStream: boolean): UpstreamReply {
  const block: JsonObject =
    'call' in turn
      ? { type: 'tool_use', id: 'toolu_1', name: turn.call.tool, input: turn.call.input }
      : { type: 'text', text: turn.text };
  const usage = { input_tokens: 100, output_tokens: 10 };
  const stop_reason = 'call' in turn ? 'tool_use' : 'end_turn';
  const message = {
    id: HEAD.messages,
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    stop_sequence: null,
  };
  if (!isStream) return createJsonReply({ ...message, content: [block], stop_reason, usage });
  const delta =
    'call' in turn
      ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.call.input) }
      : { type: 'text_delta', text: turn.text };
  const content_block = 'call' in turn ? { ...block, input: {} } : { ...block, text: '' };
  return events([
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ]);
}

function scriptedResponsesReply(turn: ScriptedTurn, isStream: boolean): UpstreamReply {
  const item = itemOf(turn);
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  };
  const base = { id: HEAD.responses, object: 'response', created_at: 1_800_000_000, model: 'm-1' };
  const whole = {
    ...base,
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [item],
    usage,
  };
  if (!isStream) return createJsonReply(whole);
  const begun = { ...base, status: 'in_progress', output: [] };
  const at = { output_index: 0, item_id: item['id'] };
  const inside = 'call' in turn ? callEvents(item, at) : textEvents(item, at, turn.text);
  return events(
    [
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
      ...inside,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ].map((event, sequence_number) => ({ ...event, sequence_number })),
  );
}

function itemOf(turn: ScriptedTurn): JsonObject {
  if ('text' in turn) {
    const content = [{ type: 'output_text', text: turn.text, annotations: [], logprobs: [] }];
    return { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  }
  const { tool: name, input, freeform } = turn.call;
  const call = { id: 'fc_1', status: 'completed', call_id: 'call_1', name };
  return freeform === undefined
    ? { ...call, type: 'function_call', arguments: JSON.stringify(input) }
    : { ...call, type: 'custom_tool_call', input: freeform };
}

function callEvents(item: JsonObject, at: object): StreamEvent[] {
  const isFreeform = item['type'] === 'custom_tool_call';
  const member = isFreeform ? 'input' : 'arguments';
  const base = `response.${isFreeform ? 'custom_tool_call_input' : 'function_call_arguments'}`;
  return [
    { type: 'response.output_item.added', output_index: 0, item: { ...item, [member]: '' } },
    { type: `${base}.delta`, ...at, delta: item[member] },
    { type: `${base}.done`, ...at, [member]: item[member] },
  ];
}

function textEvents(item: JsonObject, at: object, text: string): StreamEvent[] {
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  const inPart = { ...at, content_index: 0 };
  return [
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...inPart, part },
    { type: 'response.output_text.delta', ...inPart, delta: text, logprobs: [] },
    { type: 'response.output_text.done', ...inPart, text, logprobs: [] },
    { type: 'response.content_part.done', ...inPart, part: { ...part, text } },
  ];
}

function scriptedGeminiReply(turn: ScriptedTurn, isStream: boolean): UpstreamReply {
  const part =
    'call' in turn
      ? {
          functionCall: { name: turn.call.tool, args: turn.call.input },
          thoughtSignature: 'c2VhbA==',
        }
      : { text: turn.text };
  const answer = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    modelVersion: 'm-1',
    responseId: HEAD.gemini,
  };
  return isStream ? createSseReply([answer]) : createJsonReply(answer);
}

function events(list: readonly StreamEvent[]): UpstreamReply {
  return createSseReply(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}
