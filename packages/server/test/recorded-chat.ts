// Recorded Chat answers and what they say, worked out from their bytes without any code of the gateway.
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { parseSseFrames } from '@floe/testkit/http-client';
import { loadProjectRecordings, type RecordedInteraction, type Recording } from '@floe/testkit/recordings';
import { loadSharedRecordings } from '@floe/testkit/shared-recordings';
import { RECORDED_KINDS, type RecordedKind } from './recording-gateway.ts';

export interface ChatCase {
  readonly kind: RecordedKind;
  /** File and number of the interaction in it. */
  readonly name: string;
  readonly origin: 'own' | 'shared';
  readonly recorded: RecordedInteraction;
  /** The provider's bare id of the model. */
  readonly model: string;
  /** The body that was recorded, else one that fits the answer; without `stream` and `stream_options`. */
  readonly request: JsonObject;
}

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const TEXT = [{ role: 'user', content: 'How thick is the ice? «é 😀 \u2028»' }];
const VISION = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
    ],
  },
];
const TOOL = {
  type: 'function',
  function: { name: 'ice', parameters: { type: 'object', properties: { place: { type: 'string' } } } },
};
const SCHEMA = { type: 'object', properties: { metres: { type: 'number' } }, required: ['metres'] };

/** Every recorded answer of the Chat dialect, and why those beside the project are missing. */
export function loadChatCases(): {
  readonly cases: readonly ChatCase[];
  readonly absent: string | undefined;
} {
  const own = loadProjectRecordings(isOfAKind).flatMap((recording) => casesOf(recording, 'own'));
  const shared = loadSharedRecordings(isOfAKind);
  return {
    cases: [...own, ...shared.recordings.flatMap((recording) => casesOf(recording, 'shared'))],
    absent: shared.absent,
  };
}

function isOfAKind({ provider }: Recording): boolean {
  return RECORDED_KINDS.some((kind) => kind === provider);
}

function casesOf(recording: Recording, origin: ChatCase['origin']): ChatCase[] {
  const kind = RECORDED_KINDS.find((known) => known === recording.provider);
  if (!kind) return [];
  return recording.interactions.flatMap((recorded, at) => {
    if (!/\/chat\/completions(\?|$)/.test(recorded.path)) return [];
    const name = `${origin}/${recording.file}#${at}`;
    const { requestBody } = recorded;
    const model =
      (isJsonObject(requestBody) && typeof requestBody.model === 'string' ? requestBody.model : undefined) ??
      /"model":\s*"([^"]+)"/.exec(recorded.body.toString('utf8'))?.[1] ??
      'vendor/model:tag';
    return requestsFor(recording.scenario, requestBody).map((request) => ({
      kind,
      name,
      origin,
      recorded,
      model,
      request,
    }));
  });
}

function requestsFor(scenario: string, recorded: unknown): JsonObject[] {
  if (isJsonObject(recorded)) {
    const { stream: _stream, stream_options: _options, ...request } = recorded;
    return [request];
  }
  if (scenario.includes('parallel'))
    return [{ messages: TEXT, tools: [TOOL], parallel_tool_calls: true, tool_choice: 'auto' }];
  if (scenario.includes('tool')) return [{ messages: TEXT, tools: [TOOL] }];
  if (scenario.includes('structured') || scenario.includes('refusal')) {
    const json_schema = { name: 'ice', strict: true, schema: SCHEMA };
    return [{ messages: TEXT, response_format: { type: 'json_schema', json_schema } }];
  }
  if (scenario === 'text' || scenario === 'text-stream') return [{ messages: TEXT }, { messages: VISION }];
  return [{ messages: TEXT, seed: 7, vendor_field: { kept: [1.5, null, ''] } }];
}

/** One tool call, its pieces joined. */
export interface RecordedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface RecordedChoice {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly RecordedToolCall[];
  readonly finish: string;
}

/** What an answer says. */
export interface ChatContent {
  /** Parsed chunks of a stream in order, or the one whole answer. */
  readonly values: readonly JsonObject[];
  /** An error the provider told with status 200. */
  readonly error: Json | undefined;
  readonly choices: readonly RecordedChoice[];
  /** The last usage, wherever it stood. */
  readonly usage: JsonObject | undefined;
  /** All reasoning text. */
  readonly reasoning: string;
}

const THINK = /^\s*<think>([\s\S]*?)<\/think>[\r\n]*/;

/** Reads a recorded answer. `thinkTags`: its text may begin with reasoning in tags. */
export function parseChatContent(body: Buffer, isStream: boolean, thinkTags: boolean): ChatContent {
  const all = isStream ? streamValues(body.toString('utf8')) : [parsed(body.toString('utf8'))];
  const failed = all.findIndex(
    (value) => value.error !== undefined && value.error !== null && value.error !== false,
  );
  const values = failed === -1 ? all : all.slice(0, failed);
  const choices = new Map<number, ChoiceSoFar>();
  for (const value of values) for (const choice of objects(value.choices)) addChoice(choices, choice);
  const finished = [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
  const tagged = thinkTags ? finished.map(({ text }) => THINK.exec(text)?.[1] ?? '') : [];
  return {
    values,
    error: failed === -1 ? undefined : (all[failed]?.error ?? null),
    choices: finished.map(({ text, refusal, calls, finish }) => ({
      text: thinkTags ? text.replace(THINK, '') : text,
      refusal,
      calls: [...calls].sort(([a], [b]) => a - b).map(([, one]) => one),
      finish,
    })),
    usage: values.flatMap(usagesOf).at(-1),
    reasoning: [...finished.map((choice) => choice.reasoning), ...tagged].join(''),
  };
}

function streamValues(text: string): JsonObject[] {
  return parseSseFrames(text)
    .filter(({ data }) => data !== '' && data !== '[DONE]')
    .map(({ data }) => parsed(data));
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isJsonObject(first) ? first : { error: text };
}

interface ChoiceSoFar {
  text: string;
  refusal: string;
  reasoning: string;
  finish: string;
  readonly calls: Map<number, { id: string; name: string; arguments: string }>;
}

function addChoice(choices: Map<number, ChoiceSoFar>, choice: JsonObject): void {
  const index = typeof choice.index === 'number' ? choice.index : 0;
  const known = choices.get(index);
  const sum = known ?? { text: '', refusal: '', reasoning: '', finish: '', calls: new Map() };
  choices.set(index, sum);
  if (sum.finish === '') sum.finish = text(choice.finish_reason);
  const message = choice.delta ?? choice.message;
  if (!isJsonObject(message)) return;
  const parts = objects(message.content);
  sum.text += text(message.content) + parts.map((part) => text(part.text)).join('');
  sum.refusal += text(message.refusal);
  const details = [...objects(message.reasoning_details), ...objects(message.thinking_blocks), ...parts];
  sum.reasoning +=
    text(message.reasoning_content) + text(message.reasoning) + details.map(reasoningOf).join('');
  for (const [at, one] of objects(message.tool_calls).entries()) {
    const position = typeof one.index === 'number' ? one.index : at;
    const call = sum.calls.get(position) ?? { id: '', name: '', arguments: '' };
    sum.calls.set(position, call);
    const named = isJsonObject(one.function) ? one.function : {};
    call.id ||= text(one.id);
    call.name ||= text(named.name);
    call.arguments += text(named.arguments);
  }
}

function reasoningOf(part: JsonObject): string {
  if (part.type === 'thinking')
    return objects(part.thinking)
      .map((inner) => text(inner.text))
      .join('');
  return part.type === 'text' ? '' : text(part.summary);
}

function usagesOf(value: JsonObject): JsonObject[] {
  const vendor = Object.entries(value).flatMap(([name, inner]) =>
    name.startsWith('x_') && isJsonObject(inner) ? [inner.usage] : [],
  );
  const inChoices = objects(value.choices).map((choice) => choice.usage);
  return [...vendor, ...inChoices, value.usage].filter(isJsonObject);
}

const REASONING = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
] as const;

/** A chunk or answer as a client is to see it: without reasoning members and thinking parts. */
export function withoutReasoning(value: JsonObject): JsonObject {
  if (!Array.isArray(value.choices)) return value;
  const strip = (message: Json): Json => {
    if (!isJsonObject(message)) return message;
    const left = Object.entries(message).filter(([name]) => !REASONING.some((word) => word === name));
    const { content, ...rest } = Object.fromEntries(left);
    if (content === undefined) return rest;
    return { ...rest, content: Array.isArray(content) ? textsOf(content) : content };
  };
  const choices = value.choices.map((choice) => {
    if (!isJsonObject(choice)) return choice;
    const { delta, message, ...rest } = choice;
    return {
      ...rest,
      ...(delta !== undefined && { delta: strip(delta) }),
      ...(message !== undefined && { message: strip(message) }),
    };
  });
  return { ...value, choices };
}

function textsOf(parts: readonly unknown[]): string {
  return parts.map((part) => (isJsonObject(part) && part.type === 'text' ? text(part.text) : '')).join('');
}

/** A chunk that holds usage and no choice: what `stream_options.include_usage` adds. */
export function isUsageChunk(value: JsonObject): boolean {
  return isJsonObject(value.usage) && objects(value.choices).length === 0;
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
