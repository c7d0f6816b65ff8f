// Answers of fake upstreams for the accounting laws: any dialect and form, and whatever a provider says of usage.
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { parseSseFrames } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';

export type AccountingDialect = 'chat' | 'responses' | 'messages' | 'embeddings';

/** What a provider says it has counted; each value stands for itself in the answer. */
export interface ReportedUsage {
  readonly input?: unknown;
  readonly output?: unknown;
}

export interface AccountingAnswer {
  readonly stream: boolean;
  readonly pieces: readonly string[];
  /** Null where the provider reports nothing. */
  readonly reportedUsage: ReportedUsage | null;
  /** A stream tells an error behind its content, any other answer is one. */
  readonly fails: boolean;
}

/** Arguments of the one tool each answer calls. */
export const ANSWER_TOOL_CALL = {
  name: 'look_up',
  arguments: JSON.stringify({ query: 'Größe der "Eisfläche"', limit: 10 }),
};
const ERROR = { type: 'server_error', message: 'the accelerator overheated' };

export function accountingReply(dialect: AccountingDialect, telling: AccountingAnswer): UpstreamReply {
  if (telling.fails && !telling.stream) return createJsonReply({ type: 'error', error: ERROR }, 500);
  if (dialect === 'chat') return chat(telling);
  if (dialect === 'responses') return responses(telling);
  return dialect === 'messages' ? messages(telling) : embeddings(telling);
}

function usageMembers(report: ReportedUsage | null, input: string, output: string): object {
  if (report === null) return {};
  const usage = {
    ...('input' in report && { [input]: report.input }),
    ...('output' in report && { [output]: report.output }),
  };
  return { usage };
}

function chat({ stream, pieces, reportedUsage, fails }: AccountingAnswer): UpstreamReply {
  const usage = usageMembers(reportedUsage, 'prompt_tokens', 'completion_tokens');
  const head = {
    id: 'chatcmpl-1',
    object: stream ? 'chat.completion.chunk' : 'chat.completion',
    created: 1,
    model: 'm',
  };
  const call = { id: 'call_1', type: 'function', function: ANSWER_TOOL_CALL };
  if (!stream) {
    const message = { role: 'assistant', content: pieces.join(''), tool_calls: [call] };
    return createJsonReply({
      ...head,
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      ...usage,
    });
  }
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return createSseReply([
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    ...(fails
      ? [{ error: ERROR }]
      : [
          chunk({ tool_calls: [{ index: 0, ...call }] }),
          chunk({}, 'tool_calls'),
          ...(reportedUsage ? [{ ...head, choices: [], ...usage }] : []),
          'data: [DONE]\n\n',
        ]),
  ]);
}

function responses({ stream, pieces, reportedUsage, fails }: AccountingAnswer): UpstreamReply {
  const text = pieces.join('');
  const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
  const part = { type: 'output_text', text, annotations: [] };
  const call = {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'call_1',
    status: 'completed',
    ...ANSWER_TOOL_CALL,
  };
  const usage = usageMembers(reportedUsage, 'input_tokens', 'output_tokens');
  const base = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', tools: [], error: null };
  const whole = { ...base, status: 'completed', output: [{ ...message, content: [part] }, call], ...usage };
  if (!stream) return createJsonReply(whole);
  let number = 0;
  const event = (type: string, more: object) => {
    number += 1;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...more })}\n\n`;
  };
  const at = { output_index: 0, item_id: 'msg_1', content_index: 0 };
  const open = { ...base, status: 'in_progress', output: [] };
  return createSseReply([
    event('response.created', { response: open }),
    event('response.output_item.added', {
      output_index: 0,
      item: { ...message, status: 'in_progress', content: [] },
    }),
    event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
    ...pieces.map((delta) => event('response.output_text.delta', { ...at, delta })),
    ...(fails
      ? [event('error', { code: 'server_error', message: ERROR.message, param: null })]
      : [
          event('response.output_text.done', { ...at, text }),
          event('response.content_part.done', { ...at, part }),
          event('response.output_item.done', { output_index: 0, item: { ...message, content: [part] } }),
          event('response.output_item.added', { output_index: 1, item: { ...call, arguments: '' } }),
          event('response.function_call_arguments.delta', {
            output_index: 1,
            item_id: 'fc_1',
            delta: ANSWER_TOOL_CALL.arguments,
          }),
          event('response.function_call_arguments.done', {
            output_index: 1,
            item_id: 'fc_1',
            arguments: ANSWER_TOOL_CALL.arguments,
          }),
          event('response.output_item.done', { output_index: 1, item: call }),
          event('response.completed', { response: whole }),
        ]),
  ]);
}

function messages({ stream, pieces, reportedUsage, fails }: AccountingAnswer): UpstreamReply {
  const usage = usageMembers(reportedUsage, 'input_tokens', 'output_tokens');
  const call = { type: 'tool_use', id: 'toolu_1', name: ANSWER_TOOL_CALL.name };
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };
  if (!stream) {
    const content = [
      { type: 'text', text: pieces.join('') },
      { ...call, input: JSON.parse(ANSWER_TOOL_CALL.arguments) },
    ];
    return createJsonReply({
      ...head,
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      ...usage,
    });
  }
  const event = (type: string, more: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const start =
    reportedUsage && 'input' in reportedUsage
      ? { usage: { input_tokens: reportedUsage.input, output_tokens: 1 } }
      : {};
  const end =
    reportedUsage && 'output' in reportedUsage ? { usage: { output_tokens: reportedUsage.output } } : {};
  return createSseReply([
    event('message_start', { message: { ...head, content: [], stop_reason: null, ...start } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    ...(fails
      ? [event('error', { error: { type: 'overloaded_error', message: ERROR.message } })]
      : [
          event('content_block_stop', { index: 0 }),
          event('content_block_start', { index: 1, content_block: { ...call, input: {} } }),
          event('content_block_delta', {
            index: 1,
            delta: { type: 'input_json_delta', partial_json: ANSWER_TOOL_CALL.arguments },
          }),
          event('content_block_stop', { index: 1 }),
          event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, ...end }),
          event('message_stop'),
        ]),
  ]);
}

function embeddings({ reportedUsage }: AccountingAnswer): UpstreamReply {
  const data = [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }];
  return createJsonReply({
    object: 'list',
    model: 'm',
    data,
    ...usageMembers(reportedUsage, 'prompt_tokens', 'completion_tokens'),
  });
}

/** UTF-8 bytes of text, tool names and arguments that a client has read, by the shapes of the surfaces alone. */
export function countDeliveredBytes(text: string, stream: boolean): number {
  if (!stream) return countBytes(parsed(text));
  let sum = 0;
  for (const { data } of parseSseFrames(text)) {
    const event = parsed(data);
    const type = String(event['type'] ?? '');
    // Responses: what is not a delta repeats.
    if (type.startsWith('response.') && !type.endsWith('.delta')) continue;
    sum += typeof event['delta'] === 'string' ? Buffer.byteLength(event['delta']) : countBytes(event);
  }
  return sum;
}

const SAID = new Set(['content', 'text', 'arguments', 'partial_json', 'name']);

function countBytes(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, entry) => sum + countBytes(entry), 0);
  if (!isJsonObject(value)) return 0;
  let sum = 0;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'error') continue;
    if (name === 'input' && isJsonObject(member) && Object.keys(member).length > 0)
      sum += JSON.stringify(member).length;
    else if (typeof member !== 'string') sum += countBytes(member);
    else if (SAID.has(name)) sum += Buffer.byteLength(member);
  }
  return sum;
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
