// Computes the structure of a recording without its content: the order of events, members and anomalies.

import { type ApiSurface, getApiSurface } from './api-surface.ts';
import { findAnomalies } from './recording-anomalies.ts';
import { parseRecordedEvents } from './recording-events.ts';
import { isPlainObject, type RecordedInteraction } from './recordings.ts';

/** Data of a client or tool. The dialect does not define its content. */
const OPAQUE_MEMBERS = new Set(
  (
    'args arguments input partial_json parameters input_schema inputSchema schema metadata logit_bias partialArgs ' +
    'headers embedding embeddings values float b64_json'
  ).split(' '),
);
/** Members with the content of the answer. All of their nested members are part of the shape. */
const CONTENT_MEMBERS = new Set(
  (
    'choices candidates content parts message delta output item part content_block start response tool_calls ' +
    'function functionCall toolUse reasoningContent reasoningText summary reasoning_details thinking source'
  ).split(' '),
);
/** Members whose value determines how a reader continues. The shape includes the value. */
const VALUE_MEMBERS = new Set(
  'type role finish_reason stop_reason finishReason stopReason blockReason status phase reason thought is_error'.split(
    ' ',
  ),
);
/** Root members of an answer that repeat the request or that no translation reads. */
const METADATA_MEMBERS = new Set(
  'text reasoning tools instructions metadata trace metrics logprobs'.split(' '),
);
const IGNORED_MEMBERS = new Set('id index logprobs'.split(' '));
const CLIENT_SURFACES: readonly ApiSurface[] = ['chat', 'responses', 'messages', 'embeddings'];

/**
 * Returns the structure of a response in one line: the API, the delivery, the events in order with
 * repetitions written once, and the anomalies. Recordings with the same structure test the same
 * branches of a translation.
 */
export function describeResponseShape(interaction: RecordedInteraction): string {
  const { path, status, stream, headers } = interaction;
  const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
  const events = parseRecordedEvents(interaction).map(({ name, data, value }) => {
    if (value === undefined) return data === '[DONE]' ? data : data === '' ? 'no-data' : 'not-JSON';
    const kind = isPlainObject(value) && value['type'] === name ? '' : name;
    return `${kind}${answerShape(value)}`;
  });
  const way = `${getApiSurface(path)} ${stream ? 'stream' : 'whole'} ${status} ${type}`;
  return [`${way}: ${foldRepeats(events).join(' ')}`, ...findAnomalies(interaction)].join(' | ');
}

/**
 * Returns the structure of a client's request: its turns in order, and its settings. Undefined for
 * other surfaces.
 */
export function describeRequestShape({ path, requestBody }: RecordedInteraction): string | undefined {
  const surface = getApiSurface(path);
  if (!CLIENT_SURFACES.includes(surface) || !isPlainObject(requestBody)) return undefined;
  const { messages, input, system, instructions, model: _model, ...settings } = requestBody;
  const turns = [system, instructions, ...[messages ?? input].flat()]
    .filter((turn) => turn !== undefined)
    .map((turn) => innerShape(turn));
  const names = Object.entries(settings).map(([name, value]) => `${name}:${settingShape(value)}`);
  return `${surface} request: ${foldRepeats(turns).join(' ')} | ${names.sort().join(' ')}`;
}

/**
 * Returns the members of an interaction with the types of their values, such as `chat stream
 * choices[].delta.content: null`.
 */
export function collectMemberTypes(interaction: RecordedInteraction): ReadonlySet<string> {
  const { path, stream, requestBody } = interaction;
  const surface = getApiSurface(path);
  const found = new Set<string>();
  for (const { value } of parseRecordedEvents(interaction))
    addMembers(value, `${surface} ${stream ? 'stream' : 'whole'}`, '', found);
  if (CLIENT_SURFACES.includes(surface)) addMembers(requestBody, `${surface} request`, '', found);
  return found;
}

function addMembers(value: unknown, way: string, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) addMembers(entry, way, `${path}[]`, found);
  if (!isPlainObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    found.add(`${way} ${at}: ${typeNameOf(inner)}`);
    if (!OPAQUE_MEMBERS.has(name)) addMembers(inner, way, at, found);
  }
}

function settingShape(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(settingShape))].sort().join(' ')}]`;
  return isPlainObject(value) && typeof value['type'] === 'string' ? value['type'] : typeNameOf(value);
}

/** The shape of the root of an answer or event: content members in full, other objects by name. */
function answerShape(value: unknown): string {
  if (Array.isArray(value)) return `[${foldRepeats(value.map(answerShape)).join(' ')}]`;
  if (!isPlainObject(value)) return typeNameOf(value);
  const marks = Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'response') return [`response${answerShape(inner)}`];
    if (VALUE_MEMBERS.has(name) || CONTENT_MEMBERS.has(name)) return describeMember(name, inner);
    return typeof inner === 'object' && !isEmpty(inner) && !METADATA_MEMBERS.has(name) ? [name] : [];
  });
  return `(${marks.sort().join(' ')})`;
}

/** The shape of a value in a content member, with all members that are not null. */
function innerShape(value: unknown): string {
  if (!isPlainObject(value)) return typeNameOf(value);
  const marks = Object.entries(value).flatMap(([name, inner]) =>
    IGNORED_MEMBERS.has(name) ? [] : describeMember(name, inner),
  );
  return `(${marks.sort().join(' ')})`;
}

function describeMember(name: string, value: unknown): string[] {
  if (value === null) return name === 'content' ? ['content=null'] : [];
  if (typeof value === 'boolean') return VALUE_MEMBERS.has(name) ? [`${name}=${value}`] : [];
  if (typeof value === 'number') return [];
  if (isEmpty(value)) return [`${name}=${Array.isArray(value) ? '[]' : isPlainObject(value) ? '{}' : '""'}`];
  if (OPAQUE_MEMBERS.has(name)) return [`${name}:${typeNameOf(value)}`];
  if (typeof value === 'string') return [VALUE_MEMBERS.has(name) ? `${name}=${value}` : name];
  if (!CONTENT_MEMBERS.has(name)) return [name];
  return [
    Array.isArray(value)
      ? `${name}[${foldRepeats(value.map(innerShape)).join(' ')}]`
      : name + innerShape(value),
  ];
}

function typeNameOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === '' || (isPlainObject(value) && Object.keys(value).length === 0);
}

const MAX_SEQUENCE = 12;

/** Writes a repeated word (`a a`) or sequence (`a b a b`) once with a plus, whatever the count. */
function foldRepeats(words: readonly string[]): readonly string[] {
  let left = words;
  for (let size = 1; size <= MAX_SEQUENCE; size += 1) left = foldRepeatsOfSize(left, size);
  return left;
}

function foldRepeatsOfSize(words: readonly string[], size: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < words.length; ) {
    const round = words.slice(at, at + size);
    let end = at + round.length;
    while (isSame(words.slice(end, end + size), round)) end += size;
    const isRepeated = end > at + size;
    if (isRepeated) out.push(size === 1 ? `${round[0]}+` : `{${round.join(' ')}}+`);
    else out.push(...round.slice(0, 1));
    at = isRepeated ? end : at + 1;
  }
  return out;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}
