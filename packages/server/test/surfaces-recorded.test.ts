// Recorded provider traffic of all four dialects, read by the official clients of all three surfaces.
// Tier: ci. Official clients over every recording.
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { after, before, test } from 'node:test';
import { loadProjectRecordings, type Recording } from '@floe/testkit/recordings';
import { loadSharedRecordings } from '@floe/testkit/shared-recordings';
import { type AnswerContent, parseAnswerContent, TEST_DIALECTS, type TestDialect } from './answer-content.ts';
import {
  CLIENT_SURFACES,
  type ClientSurface,
  type DialectGateway,
  startDialectGateway,
} from './dialect-gateway.ts';
import { askWithSdk, type SdkAnswer } from './sdk-requests.ts';

const PATHS: Readonly<Record<TestDialect, RegExp>> = {
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  messages: /\/messages$/,
  gemini: /:(stream)?generateContent$/i,
  converse: /\/converse(-stream)?$/,
  cohere: /\/v2\/chat$/,
};
/** Chat over Chat has tests of its own, with every quirk of its many hosts. */
const PROVIDERS = [
  'openai',
  'azure',
  'anthropic',
  'gemini',
  'xai',
  'bedrock',
  'vertex',
  'cohere',
  'messages',
  'responses',
];

/** Arguments in pieces by path, thoughts outside a summary, and choices nobody asked for, which other tests read. */
const OTHER_READERS = /partial-args|gpt-oss|two-choices/;
/** Forwarded as it came, and as little to the client's liking as from the provider itself. */
const REFUSED_BY_CLIENT = /duplicate-message-start/;

interface Case {
  readonly name: string;
  readonly dialect: TestDialect;
  readonly body: Buffer;
  readonly stream: boolean;
  readonly said: AnswerContent;
}

const isDriven = ({ provider, file }: Recording) => PROVIDERS.includes(provider) && !OTHER_READERS.test(file);
const cases = [...loadProjectRecordings(isDriven), ...loadSharedRecordings(isDriven).recordings].flatMap(
  ({ file, interactions }) =>
    interactions.flatMap(({ path, status, body, stream }, at): Case[] => {
      const dialect = TEST_DIALECTS.find((name) => PATHS[name].test(path.split('?')[0] ?? ''));
      if (!dialect || status !== 200 || (dialect !== 'converse' && !isUtf8(body))) return [];
      const said = readable(dialect, body, stream);
      return said ? [{ name: `${file}#${at}`, dialect, body, stream, said }] : [];
    }),
);
let harness: DialectGateway;
const counts = new Map<string, number>();

before(async () => {
  harness = await startDialectGateway();
});
after(async () => {
  await harness.close();
  for (const [name, count] of counts) process.stdout.write(`# ${name}: ${count}\n`);
});

for (const surface of CLIENT_SURFACES)
  test(`${surface} loses nothing of recorded traffic`, async () => {
    assert.ok(cases.length > 150, `${cases.length} recorded answers`);
    for (const one of cases.filter(({ name }) => surface !== 'messages' || !REFUSED_BY_CLIENT.test(name))) {
      const type = !one.stream
        ? 'application/json'
        : one.dialect === 'converse'
          ? 'application/vnd.amazon.eventstream'
          : 'text/event-stream';
      const reply = { headers: { 'content-type': type }, body: one.body };
      harness.setReply(one.dialect, {
        ...reply,
        chunking: { seed: one.body.length, meanBytes: 500 },
        framing: 'chunked',
      });
      const model = `${one.dialect}/m-1`;
      const seen = await askWithSdk(harness, { surface, model, feature: 'text', isStream: one.stream });
      checkConserved(surface, one, seen);
      const name = `${surface} over ${one.dialect}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  });

function checkConserved(surface: ClientSurface, { name, dialect, said }: Case, seen: SdkAnswer): void {
  assert.equal(seen.text, surface === 'messages' ? said.text + said.refusal : said.text, name);
  // Where thoughts come in several parts, their joints are anyone's.
  const joined = (text: string) => text.replace(/\s+/g, '');
  if (surface !== 'chat') assert.equal(joined(seen.thinking), joined(said.thinking), name);
  const written = (text: string) => JSON.parse(text || '{}');
  assert.deepEqual(
    seen.calls.map((call) => [call.name, written(call.arguments)]),
    said.calls.map((call) => [call.name, written(call.arguments)]),
    name,
  );
  const forwarded = surface === dialect;
  if (said.usage && !forwarded) assert.deepEqual(seen.usage, said.usage, name);
}

/** Undefined for what holds no finished answer: errors with status 200, or inside a stream. */
function readable(dialect: TestDialect, body: Buffer, stream: boolean): AnswerContent | undefined {
  try {
    const said = parseAnswerContent(dialect, body, stream);
    return said.finish === '' ? undefined : said;
  } catch {
    return undefined;
  }
}
