// Our own recordings cover every structural shape that providers are known to send. A missing recording is a failure.
// When ../shared is present, its shapes are compared with ours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiSurface, getApiSurface } from './api-surface.ts';
import { ANOMALY_NAMES, findAnomalies } from './recording-anomalies.ts';
import { parseRecordedEvents } from './recording-events.ts';
import { collectMemberTypes, describeRequestShape, describeResponseShape } from './recording-shape.ts';
import { isPlainObject, loadProjectRecordings, type RecordedInteraction } from './recordings.ts';
import { loadSharedRecordings } from './shared-recordings.ts';

/** Distinct shapes of successful streams, whole answers and errors. A lower count means that a recording was lost. */
const LEAST: Readonly<
  Partial<Record<ApiSurface, readonly [streams: number, whole: number, errors: number]>>
> = {
  chat: [75, 51, 18],
  responses: [14, 17, 5],
  messages: [16, 10, 6],
  'generate-content': [11, 10, 3],
  converse: [8, 5, 3],
  'cohere-chat': [5, 5, 1],
  'count-tokens': [0, 1, 0],
  embeddings: [0, 4, 2],
  images: [0, 1, 2],
  completions: [1, 0, 0],
  'ollama-native': [1, 1, 0],
};
const LEAST_REQUESTS = 107;
/** Shorter texts may be words of a protocol. */
const OWN_WORDS = 4;

const own = loadProjectRecordings().flatMap(({ interactions }) => interactions);
const shared = loadSharedRecordings();

test('own recordings cover every surface: streams, whole answers and errors', (context) => {
  for (const [surface, [streams, whole, errors]] of Object.entries(LEAST)) {
    const shapes = [...new Set(own.map(describeResponseShape))].filter((shape) =>
      shape.startsWith(`${surface} `),
    );
    const count = (pattern: RegExp) => shapes.filter((shape) => pattern.test(shape)).length;
    const found = [count(/^\S+ stream 200/), count(/^\S+ whole 200/), count(/^\S+ \w+ [45]/)];
    context.diagnostic(`${surface}: ${found.join(', ')} shapes of streams, whole answers, errors`);
    for (const [at, least] of [streams, whole, errors].entries())
      assert.ok((found[at] ?? 0) >= least, `${surface}: ${found.join(', ')}`);
  }
});

test('own recordings cover every shape of a request', () => {
  const requests = new Set(own.flatMap((interaction) => describeRequestShape(interaction) ?? []));
  assert.ok(requests.size >= LEAST_REQUESTS, `${requests.size} shapes of requests`);
});

test('every anomaly has an own recording', () => {
  const found = new Set(own.flatMap(findAnomalies));
  assert.deepEqual(
    ANOMALY_NAMES.filter((name) => !found.has(name)),
    [],
  );
});

/** Each value that only shared recordings have, with a file that has it. */
function missing(valuesOf: (interaction: RecordedInteraction) => Iterable<string>): string[] {
  const ours = new Set(own.flatMap((interaction) => [...valuesOf(interaction)]));
  const lacking = new Map<string, string>();
  for (const { file, interactions } of shared.recordings)
    for (const [at, interaction] of interactions.entries())
      for (const value of getApiSurface(interaction.path) === 'other' ? [] : valuesOf(interaction))
        if (!ours.has(value)) lacking.set(value, `${value} (${file}#${at})`);
  return [...lacking.values()];
}

if (shared.absent === undefined) {
  test('every shape of a shared answer has an own recording', (context) => {
    const count = shared.recordings.reduce((sum, { interactions }) => sum + interactions.length, 0);
    context.diagnostic(`${count} shared interactions compared with ${own.length} of our own`);
    assert.ok(count > 200);
    assert.deepEqual(
      missing((interaction) => [describeResponseShape(interaction)]),
      [],
    );
  });

  test('every shape of a shared request has an own recording', () => {
    assert.deepEqual(
      missing((interaction) => [describeRequestShape(interaction) ?? []].flat()),
      [],
    );
  });

  test('every member of a shared recording has an own recording', () => {
    assert.deepEqual(missing(collectMemberTypes), []);
  });

  test('no text of a shared recording is copied to an own one', () => {
    const theirs = new Set(
      shared.recordings.flatMap(({ interactions }) => interactions.flatMap((one) => [...textsOf(one)])),
    );
    const taken = own.flatMap((one) => [...textsOf(one)]).filter((text) => theirs.has(text));
    assert.deepEqual([...new Set(taken)], []);
  });
}

function textsOf(interaction: RecordedInteraction): ReadonlySet<string> {
  const found = new Set<string>();
  addTexts([interaction.requestBody, ...parseRecordedEvents(interaction).map(({ value }) => value)], found);
  return found;
}

function addTexts(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) addTexts(entry, found);
  else if (isPlainObject(value)) for (const entry of Object.values(value)) addTexts(entry, found);
  else if (typeof value === 'string' && value.trim().split(/\s+/).length >= OWN_WORDS)
    found.add(value.trim());
}
