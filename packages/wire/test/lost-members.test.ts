// Every member that the official schemas allow in a request: it is translated, reported, or the request is refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { OFFICIAL_REQUEST_SCHEMAS, type SchemaInDocument } from '@floe/testkit/official-requests';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { asArray, asObject, asString } from '../src/json-narrowing.ts';
import { listUnsupportedFeatures } from '../src/request.ts';
import { WRITE_OPTION_SETS } from './provider-options.ts';
import { listSchemaValues, removeMember, type SchemaValue } from './schema-values.ts';
import { CLIENT_NAMES, type ClientName } from './translate.ts';

/** Content of members that a reader parses or compares. */
const STRINGS: Readonly<Record<string, string>> = {
  name: 'f',
  id: 'c1',
  call_id: 'c1',
  tool_call_id: 'c1',
  tool_use_id: 'c1',
  url: 'https://example.com/a.png',
  image_url: 'data:image/png;base64,iVBORw0KGgo=',
  file_url: 'https://example.com/a.pdf',
  data: 'aGVsbG8=',
  file_data: 'data:application/pdf;base64,JVBERi0=',
  arguments: '{"a":1}',
  filename: 'a.pdf',
};
const USER = { role: 'user', content: 'U' };
const SCHEMA = { type: 'object', properties: {} };

interface BaseRequest {
  readonly body: JsonObject;
  /** The member with the conversation. */
  readonly conversation: string;
  /** A call of the tool, and its result. */
  readonly call: Json;
  readonly result: Json;
}

const BASES: Readonly<Record<ClientName, BaseRequest>> = {
  chat: {
    body: {
      model: 'm',
      messages: [USER],
      tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA } }],
    },
    conversation: 'messages',
    call: {
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    result: { role: 'tool', tool_call_id: 'c1', content: 'R' },
  },
  responses: {
    body: { model: 'm', input: [USER], tools: [{ type: 'function', name: 'f', parameters: SCHEMA }] },
    conversation: 'input',
    call: { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    result: { type: 'function_call_output', call_id: 'c1', output: 'R' },
  },
  messages: {
    body: { model: 'm', max_tokens: 9_000, messages: [USER], tools: [{ name: 'f', input_schema: SCHEMA }] },
    conversation: 'messages',
    call: { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
    result: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'R' }] },
  },
};

/** Members without which every target does the same: defaults, the notation of the dialect, ids and states of earlier responses. */
const WITHOUT_EFFECT: readonly RegExp[] = [
  /=null$/,
  /^(model|stream|store=true|truncation="disabled"|include\.0="reasoning\.encrypted_content")/,
  /^stream_options\.include_(usage|obfuscation)/,
  /\.(type|role|media_type)=/,
  /detail="auto"$/,
  /format="wav"$/,
  /^modalities\.0="text"$/,
  /syntax="lark"$/,
  /(tool_choice|function_call|mode|summary)="auto"$/,
  /^parallel_tool_calls=true$/,
  /^text\.format\.(name|strict=true)/,
  /^input\.\d+\.(id|status)=/,
  // A target without thinking receives no reasoning settings if the client disables it.
  /effort="none"$/,
];

interface Sample {
  readonly body: JsonObject;
  readonly path: readonly string[];
}

function createSample(client: ClientName, { value, path }: SchemaValue): Sample | undefined {
  const { body, conversation, call, result } = BASES[client];
  const [member, , ...rest] = path;
  const given = asObject(value);
  if (member === undefined || given === undefined) return undefined;
  if (member === 'functions') return { body: { ...body, tools: undefined, functions: given[member] }, path };
  if (member !== conversation) return { body: { ...body, [member]: given[member] }, path };
  const [item] = asArray(given[member]);
  if (item === undefined || rest.length === 0) return undefined;
  const text = JSON.stringify(item);
  const before = /tool_call_id|"tool_result"|_call_output"/.test(text) ? [USER, call] : [USER];
  const isCall = /"tool_use"|"tool_calls"|"function_call"|"custom_tool_call"/.test(text);
  const after = isCall && before.length === 1 ? [result] : [];
  return {
    body: { ...body, [conversation]: [...before, item, ...after] },
    path: [member, String(before.length), ...rest],
  };
}

/** What a request becomes at each target: its body and the names of what was dropped; undefined if it is refused. */
type Outcomes = ReadonlyMap<
  string,
  { readonly text: string; readonly dropped: readonly string[] } | undefined
>;

function translate(client: ClientName, body: JsonObject): Outcomes {
  const outcomes = new Map<string, { text: string; dropped: readonly string[] } | undefined>();
  const read = unlessRefused(() => CLIENT_DIALECTS[client].readRequest(body));
  for (const [name, target] of Object.entries(UPSTREAM_DIALECTS))
    for (const [provider, options] of Object.entries(WRITE_OPTION_SETS)) {
      if (name === client) continue;
      const isSupported = read && listUnsupportedFeatures(read, target.supportedFeatures).length === 0;
      const written = isSupported ? unlessRefused(() => target.writeRequest(read, options)) : undefined;
      const dropped = [...(read?.dropped ?? []), ...(written?.dropped ?? [])].sort();
      const text = JSON.stringify([written?.body, dropped]);
      outcomes.set(`${provider} ${name}`, written && { text, dropped });
    }
  return outcomes;
}

function unlessRefused<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch (error) {
    assert.ok(error instanceof Fault && error.status === 400, String(error));
    return undefined;
  }
}

/** The names of the members on the path, and the types of the objects. */
function namesOn(body: JsonObject, path: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  let at: Json | undefined = body;
  for (const step of path) {
    names.add(`${asString(asObject(at)?.['type'])}.${step}`);
    at = Object.entries(at ?? {}).find(([name]) => name === step)?.[1];
    const type = asString(asObject(at)?.['type']);
    if (type !== undefined) names.add(type);
    if (type?.endsWith('thinking')) names.add('reasoning').add('seal');
    if (step === 'thinking') names.add('reasoning');
    if (!['messages', 'input', 'content', 'tools'].includes(step)) names.add(step);
  }
  return names;
}

function isNamed(dropped: string, names: ReadonlySet<string>): boolean {
  return names.has(dropped) || names.has(dropped.split('.').at(-1) ?? '');
}

function readMember(body: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (at, step) => Object.entries(at ?? {}).find(([name]) => name === step)?.[1],
    body,
  );
}

function findLosses(
  client: ClientName,
  official: SchemaInDocument,
): { readonly count: number; readonly losses: readonly string[] } {
  const losses = new Map<string, string[]>();
  const samples = listSchemaValues(official, STRINGS).flatMap((value) => createSample(client, value) ?? []);
  for (const { body, path } of samples) {
    const label = `${path.join('.')}=${JSON.stringify(readMember(body, path))}`;
    if (WITHOUT_EFFECT.some((pattern) => pattern.test(label))) continue;
    const names = namesOn(body, path);
    const without = translate(client, asObject(removeMember(body, path)) ?? {});
    for (const [target, outcome] of translate(client, body)) {
      if (outcome === undefined || outcome.text !== without.get(target)?.text) continue;
      if (outcome.dropped.some((name) => isNamed(name.replace('.clamped', ''), names))) continue;
      losses.set(label, [...(losses.get(label) ?? []), target]);
    }
  }
  return { count: samples.length, losses: [...losses].map(([label, to]) => `${label}: ${to.join(', ')}`) };
}

describe('a member of a request is translated or reported, or the request is refused', () => {
  for (const client of CLIENT_NAMES)
    test(client, (t) => {
      const official = OFFICIAL_REQUEST_SCHEMAS[client];
      if (official === undefined) return t.skip('the official schemas are absent');
      const { count, losses } = findLosses(client, official);
      t.diagnostic(`${count} requests`);
      assert.ok(count > 100, String(count));
      assert.deepEqual(losses, []);
    });
});
