// Hosts fill their answers with members that say nothing: null, "", [], {}. None may change what an answer says.
// Tier: ci. Every recording with every empty member.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { accumulateResponse, type CanonicalResponse, toResponseEvents } from '../src/canonical-response.ts';
import { AwsEventStreamTranscoder } from '../src/converse/aws-event-stream.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { asArray, isJsonArray, tryParseJson } from '../src/json-narrowing.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import { parseSseFrame, SseFramer } from '../src/sse.ts';
import { allRecordings, type RecordedDialect, recordedDialect } from './recordings.ts';
import { RECORDED_STREAMS } from './samples.ts';
import { ANSWER_READ_OPTIONS, CLIENT_NAMES, createAnswerContext } from './translate.ts';
import { WHOLE_ANSWERS } from './whole-answers.ts';

const EMPTY: readonly Json[] = [null, '', [], {}];
/** Members whose inner names are a caller's or a model's own words. */
const OPAQUE = new Set(
  'arguments args input parameters properties schema json_schema metadata tools format reasoning_details'.split(
    ' ',
  ),
);
/** A stream is read whole for every change: one of so many is tried. */
const ONE_OF = process.env['FLOE_TEST_FULL'] === '1' ? 5 : 60;

interface Told {
  readonly name: string;
  readonly dialect: RecordedDialect;
  readonly stream: boolean;
  /** Events of a stream, or the one body. */
  readonly bodies: readonly { readonly event: string; readonly value: Json }[];
}

function told(name: string, dialect: RecordedDialect, body: Buffer, stream: boolean): Told {
  if (!stream)
    return {
      name,
      dialect,
      stream,
      bodies: [{ event: '', value: tryParseJson(body.toString('utf8')) ?? null }],
    };
  const isBinary = dialect === 'converse' && body[0] === 0;
  const sse = isBinary ? new AwsEventStreamTranscoder().push(body).sse : body;
  const { bytes, lead, ends } = new SseFramer().push(sse);
  const bodies: { event: string; value: Json }[] = [];
  let from = lead;
  for (const end of ends) {
    const frame = parseSseFrame(bytes.subarray(from, end));
    if (frame) bodies.push({ event: frame.event, value: tryParseJson(frame.data) ?? frame.data });
    from = end;
  }
  return { name, dialect, stream, bodies };
}

/** Every recorded answer, our own recordings, and those told whole in the dialects that clients speak. */
function answers(): Told[] {
  const own = RECORDED_STREAMS.flatMap(({ dialect, scenario, sse }) => {
    const streamed = told(`${dialect}-${scenario}`, dialect, sse, true);
    const answer = accumulateResponse(read(streamed));
    if (answer.fault) return [];
    const wholes = CLIENT_NAMES.map((client) => {
      const { body } = CLIENT_DIALECTS[client].writeCompleteResponse(answer, createAnswerContext());
      return told(`${dialect}-${scenario} as ${client}`, client, Buffer.from(JSON.stringify(body)), false);
    });
    return [streamed, ...wholes];
  });
  const made = Object.entries(WHOLE_ANSWERS).map(([name, { dialect, body }]) =>
    told(name, dialect, Buffer.from(JSON.stringify(body)), false),
  );
  const recorded = allRecordings().flatMap((recording) => {
    const dialect = recordedDialect(recording);
    if (
      dialect === undefined ||
      recording.status >= 400 ||
      recording.body.length > 100_000 ||
      !recording.readable
    )
      return [];
    return [told(recording.name, dialect, recording.body, recording.stream)];
  });
  return [...own, ...made, ...recorded].filter(
    (entry) => accumulateResponse(read(entry)).fault === undefined,
  );
}

function read({ dialect, stream, bodies }: Told): ResponseEvent[] {
  if (!stream)
    return [
      ...toResponseEvents(
        UPSTREAM_DIALECTS[dialect].readCompleteResponse(bodies[0]?.value ?? null, ANSWER_READ_OPTIONS),
      ),
    ];
  const events: ResponseEvent[] = [];
  const reader = UPSTREAM_DIALECTS[dialect].createResponseReader(
    (event) => events.push(event),
    ANSWER_READ_OPTIONS,
  );
  for (const { event, value } of bodies)
    reader.read({ event, data: typeof value === 'string' ? value : JSON.stringify(value) });
  reader.end();
  return events;
}

/** Every object of the dialect's own, with the way to it. */
function* objectsIn(
  value: Json,
  path: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  if (isJsonArray(value))
    for (const [index, entry] of value.entries()) yield* objectsIn(entry, [...path, index]);
  else if (isJsonObject(value)) {
    yield path;
    for (const [name, inner] of Object.entries(value))
      if (inner !== undefined && !OPAQUE.has(name)) yield* objectsIn(inner, [...path, name]);
  }
}

function at(value: Json, path: readonly (string | number)[]): JsonObject {
  let found: Json | undefined = value;
  for (const step of path)
    found = typeof step === 'number' ? asArray(found)[step] : isJsonObject(found) ? found[step] : undefined;
  assert.ok(isJsonObject(found));
  return found;
}

function withMember(value: Json, path: readonly (string | number)[], name: string, empty: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return { [name]: empty, ...at(value, []) };
  if (typeof step === 'number')
    return asArray(value).map((entry, index) =>
      index === step ? withMember(entry, rest, name, empty) : entry,
    );
  const object = at(value, []);
  return { ...object, [step]: withMember(object[step] ?? null, rest, name, empty) };
}

const ANSWERS = answers();

/** Every member name this dialect's answers have somewhere. */
function namesOf(dialect: RecordedDialect): readonly string[] {
  const names = new Set<string>();
  for (const answer of ANSWERS)
    if (answer.dialect === dialect)
      for (const { value } of answer.bodies)
        for (const path of objectsIn(value)) for (const name of Object.keys(at(value, path))) names.add(name);
  return [...names].sort();
}

describe('members that say nothing change nothing', () => {
  for (const dialect of ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const)
    test(dialect, (t) => {
      const names = namesOf(dialect);
      let tried = 0;
      let count = 0;
      for (const answer of ANSWERS.filter((entry) => entry.dialect === dialect)) {
        const said = JSON.stringify(read(answer));
        const shapes = new Set<string>();
        for (const [index, { event, value }] of answer.bodies.entries()) {
          if (!isJsonObject(value)) continue;
          const shape = `${event} ${value['type']} ${[...objectsIn(value)].map((path) => Object.keys(at(value, path)).join()).join('|')}`;
          if (shapes.has(shape)) continue;
          shapes.add(shape);
          for (const path of objectsIn(value))
            for (const name of names)
              for (const empty of EMPTY) {
                count += 1;
                if (answer.stream && count % ONE_OF !== 0) continue;
                if (name in at(value, path)) continue;
                tried += 1;
                const bodies = answer.bodies.with(index, {
                  event,
                  value: withMember(value, path, name, empty),
                });
                const now = JSON.stringify(read({ ...answer, bodies }));
                assert.equal(
                  now,
                  said,
                  `${answer.name}: ${name}: ${JSON.stringify(empty)} at ${path.join('.')} of ${JSON.stringify(value).slice(0, 400)}`,
                );
              }
        }
      }
      t.diagnostic(`${tried} changes of ${names.length} members`);
      assert.ok(tried > 500);
    });
});

describe('an answer with content is never an empty one', () => {
  const spoken = (answer: CanonicalResponse): string =>
    answer.blocks.map((block) => (block.kind === 'tool' ? block.name : block.text)).join('');

  for (const client of CLIENT_NAMES)
    test(`as ${client}`, () => {
      for (const answer of ANSWERS) {
        const source = accumulateResponse(read(answer));
        if (spoken(source) === '') continue;
        const { body } = CLIENT_DIALECTS[client].writeCompleteResponse(
          source,
          createAnswerContext({ chatReasoning: 'forward' }),
        );
        const back = CLIENT_DIALECTS[client].readCompleteResponse(
          tryParseJson(JSON.stringify(body)) ?? null,
          ANSWER_READ_OPTIONS,
        );
        assert.notEqual(spoken(back), '', answer.name);
      }
    });

  test('wherever a host of the Chat dialect puts its words', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const empties: readonly JsonObject[] = [
      {},
      { content: '' },
      { role: 'assistant', content: null, tool_calls: [] },
    ];
    const words: readonly JsonObject[] = [{ content: 'hi' }, { tool_calls: [call] }, { refusal: 'no' }];
    for (const said of words)
      for (const empty of empties)
        for (const choice of [
          { message: said },
          { delta: said },
          { message: said, delta: empty },
          { message: empty, delta: said },
          { delta: said, message: said },
        ]) {
          const body = { id: 'a', choices: [{ index: 0, finish_reason: 'stop', ...choice }] };
          const whole = UPSTREAM_DIALECTS.chat.readCompleteResponse(body, ANSWER_READ_OPTIONS);
          assert.equal(whole.blocks.length, 1, JSON.stringify(body));
          const frames = [body, { id: 'a', choices: [] }].map((value) => ({ event: '', value }));
          const streamed = accumulateResponse(
            read({ name: '', dialect: 'chat', stream: true, bodies: frames }),
          );
          assert.deepEqual(streamed.blocks, whole.blocks, JSON.stringify(body));
        }
  });
});
