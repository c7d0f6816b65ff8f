// Computes the structure of a recording without its texts: order of events, members and anomalies.
import { anomaliesOf } from './recording-anomalies.ts';
import { recordedEvents } from './recording-events.ts';
import { type Interaction, isMap } from './recordings.ts';
import { type Surface, surfaceOf } from './surfaces.ts';

/** Data of a caller or a tool. The dialect does not define what is inside. */
const OPAQUE = new Set(
  (
    'args arguments input partial_json parameters input_schema inputSchema schema metadata logit_bias partialArgs ' +
    'headers embedding embeddings values float b64_json'
  ).split(' '),
);
/** Members that carry the answer. All of their inner members are part of the shape. */
const CONTENT = new Set(
  (
    'choices candidates content parts message delta output item part content_block start response tool_calls ' +
    'function functionCall toolUse reasoningContent reasoningText summary reasoning_details thinking source'
  ).split(' '),
);
/** Members whose value decides how a reader continues. The shape includes the value. */
const WORDS = new Set(
  'type role finish_reason stop_reason finishReason stopReason blockReason status phase reason thought is_error'.split(
    ' ',
  ),
);
/** Members at the root of an answer that repeat the request or that no translation reads. */
const METADATA = new Set('text reasoning tools instructions metadata trace metrics logprobs'.split(' '));
const IGNORED = new Set('id index logprobs'.split(' '));
const CLIENT_SURFACES: readonly Surface[] = ['chat', 'responses', 'messages', 'embeddings'];

/**
 * The structural shape of an answer, as one line: its surface, its delivery, its events in order with repetitions
 * written once, and its anomalies. Recordings of the same shape exercise the same branches of a translation.
 */
export function shapeOf(interaction: Interaction): string {
  const { path, status, stream, headers } = interaction;
  const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
  const events = recordedEvents(interaction).map(({ name, data, value }) => {
    if (value === undefined) return data === '[DONE]' ? data : data === '' ? 'no-data' : 'not-JSON';
    const kind = isMap(value) && value['type'] === name ? '' : name;
    return `${kind}${answerShape(value)}`;
  });
  const way = `${surfaceOf(path)} ${stream ? 'stream' : 'whole'} ${status} ${type}`;
  return [`${way}: ${folded(events).join(' ')}`, ...anomaliesOf(interaction)].join(' | ');
}

/** The shape of a client's request: its turns in order, and its settings. Undefined for other surfaces. */
export function requestShapeOf({ path, requestBody }: Interaction): string | undefined {
  const surface = surfaceOf(path);
  if (!CLIENT_SURFACES.includes(surface) || !isMap(requestBody)) return undefined;
  const { messages, input, system, instructions, model: _model, ...settings } = requestBody;
  const turns = [system, instructions, ...[messages ?? input].flat()]
    .filter((turn) => turn !== undefined)
    .map((turn) => innerShape(turn));
  const names = Object.entries(settings).map(([name, value]) => `${name}:${settingShape(value)}`);
  return `${surface} request: ${folded(turns).join(' ')} | ${names.sort().join(' ')}`;
}

/** The members of an interaction with the types of their values: `chat stream choices[].delta.content: null`. */
export function membersOf(interaction: Interaction): ReadonlySet<string> {
  const { path, stream, requestBody } = interaction;
  const surface = surfaceOf(path);
  const found = new Set<string>();
  for (const { value } of recordedEvents(interaction))
    addMembers(value, `${surface} ${stream ? 'stream' : 'whole'}`, '', found);
  if (CLIENT_SURFACES.includes(surface)) addMembers(requestBody, `${surface} request`, '', found);
  return found;
}

function addMembers(value: unknown, way: string, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) addMembers(entry, way, `${path}[]`, found);
  if (!isMap(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    found.add(`${way} ${at}: ${kindOf(inner)}`);
    if (!OPAQUE.has(name)) addMembers(inner, way, at, found);
  }
}

function settingShape(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(settingShape))].sort().join(' ')}]`;
  return isMap(value) && typeof value['type'] === 'string' ? value['type'] : kindOf(value);
}

/** The root of an answer or event: content members in full, other objects by name. */
function answerShape(value: unknown): string {
  if (Array.isArray(value)) return `[${folded(value.map(answerShape)).join(' ')}]`;
  if (!isMap(value)) return kindOf(value);
  const marks = Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'response') return [`response${answerShape(inner)}`];
    if (WORDS.has(name) || CONTENT.has(name)) return markOf(name, inner);
    return typeof inner === 'object' && !isEmpty(inner) && !METADATA.has(name) ? [name] : [];
  });
  return `(${marks.sort().join(' ')})`;
}

/** A value inside a content member, with all members that are not null. */
function innerShape(value: unknown): string {
  if (!isMap(value)) return kindOf(value);
  const marks = Object.entries(value).flatMap(([name, inner]) =>
    IGNORED.has(name) ? [] : markOf(name, inner),
  );
  return `(${marks.sort().join(' ')})`;
}

function markOf(name: string, value: unknown): string[] {
  if (value === null) return name === 'content' ? ['content=null'] : [];
  if (typeof value === 'boolean') return WORDS.has(name) ? [`${name}=${value}`] : [];
  if (typeof value === 'number') return [];
  if (isEmpty(value)) return [`${name}=${Array.isArray(value) ? '[]' : isMap(value) ? '{}' : '""'}`];
  if (OPAQUE.has(name)) return [`${name}:${kindOf(value)}`];
  if (typeof value === 'string') return [WORDS.has(name) ? `${name}=${value}` : name];
  if (!CONTENT.has(name)) return [name];
  return [
    Array.isArray(value) ? `${name}[${folded(value.map(innerShape)).join(' ')}]` : name + innerShape(value),
  ];
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === '' || (isMap(value) && Object.keys(value).length === 0);
}

const LONGEST_SEQUENCE = 12;

/** Writes a repeated word (`a a`) or sequence (`a b a b`) once with a plus, whatever the count. */
function folded(words: readonly string[]): readonly string[] {
  let left = words;
  for (let size = 1; size <= LONGEST_SEQUENCE; size += 1) left = foldedBy(left, size);
  return left;
}

function foldedBy(words: readonly string[], size: number): string[] {
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
