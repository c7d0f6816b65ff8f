// Every SDK over every dialect of upstream: what its user sees is what the upstream said.
import assert from 'node:assert/strict';
import type { JsonObject } from '@floe/contract/json';
import { findInjectedFault } from '@floe/testkit/fault-table';
import {
  type AnswerContent,
  objectOrEmpty,
  objectsOrEmpty,
  parseAnswerContent,
  type TestDialect,
} from '../answer-content.ts';
import type { DialectGateway } from '../dialect-gateway.ts';
import { sampleReply } from '../upstream-samples.ts';
import { expectedEnding, expectedFinishReason, type SdkDefinition } from './sdk-definitions.ts';
import type { SdkDriver } from './sdk-driver.ts';

/** A question, and the own recording that answers it. */
const SCENARIOS: Readonly<Record<string, { readonly want: string; readonly recording: string }>> = {
  text: { want: 'text', recording: 'text' },
  'parallel tools': { want: 'tools', recording: 'parallel-tools' },
  'tool without arguments': { want: 'tools', recording: 'no-args-tool' },
  refusal: { want: 'text', recording: 'refusal' },
  thinking: { want: 'thinking', recording: 'thinking' },
  length: { want: 'text', recording: 'length' },
};

const ERRORS_BEFORE_ANSWER = [
  ['unavailable', 502, /temporarily unavailable/],
  ['rate-limited/retry-after', 429, /Rate limit reached/],
  ['context-length-400', 400, /maximum context length/],
] as const;
const ERRORS_IN_STREAM = [
  ['error-inside', /./],
  ['cut', /closed the stream/],
] as const;

export interface SdkTally {
  passed: number;
  readonly failed: string[];
}

/** Puts every question to one SDK for one upstream, streamed and whole, and breaks the answers in every way. */
export async function runSdk(
  definition: SdkDefinition,
  dialect: TestDialect,
  harness: DialectGateway,
  driver: SdkDriver,
): Promise<SdkTally> {
  const tally: SdkTally = { passed: 0, failed: [] };
  const judge = async (name: string, check: () => Promise<void>) => {
    try {
      await check();
      tally.passed += 1;
    } catch (error) {
      tally.failed.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  };
  const ask = (want: string, stream: boolean) => {
    const { url, key } = harness;
    return driver.ask({ client: definition.name, url, key, model: `${dialect}/m-1`, want, stream });
  };
  for (const [name, { want, recording }] of Object.entries(SCENARIOS))
    for (const isStream of [true, false])
      await judge(`${name}${isStream ? ', streamed' : ''}`, async () => {
        const reply = sampleReply(dialect, recording, isStream, normalizeRecording);
        const said = parseAnswerContent(dialect, reply.body, isStream);
        harness.setReply(dialect, { ...reply, chunking: { seed: 3 }, framing: 'chunked' });
        assertSdkAnswer(definition, { dialect, said, isStream }, await ask(want, isStream));
      });
  for (const [fault, status, words] of ERRORS_BEFORE_ANSWER)
    for (const isStream of [true, false])
      await judge(`${fault} before the answer${isStream ? ', streamed' : ''}`, async () => {
        harness.setReply(dialect, sampleReply(dialect, 'text', isStream));
        await harness.upstream(dialect).setFaults(findInjectedFault(fault));
        const seen = await ask('text', isStream);
        await harness.upstream(dialect).setFaults();
        const error = errorIn(seen);
        assert.equal(error.name, definition.errors[status], error.message);
        if (!(status === 400 && definition.hidesStatus)) assert.equal(error.status, status);
        assert.match(error.message, words);
      });
  for (const [recording, words] of ERRORS_IN_STREAM)
    await judge(`${recording} in the stream`, async () => {
      harness.setReply(dialect, { ...sampleReply(dialect, recording, true), framing: 'chunked' });
      const error = errorIn(await ask('text', true));
      assert.ok(
        [definition.errors.inside, 'response.failed'].includes(error.name),
        `${error.name}: ${error.message}`,
      );
      assert.match(error.message, words);
    });
  return tally;
}

/**
 * Recordings leave out what some hosts do; these judges need it as the makers send it: OpenAI's text parts with their
 * annotations, Anthropic's tool input in deltas. The gateway meets the others in surfaces-sdk.test.ts.
 */
function normalizeRecording(recorded: string): string {
  return recorded
    .replaceAll('{"type":"output_text",', '{"type":"output_text","annotations":[],"logprobs":[],')
    .replaceAll(/event: content_block_start\ndata: (.*"tool_use".*)\n\n/g, (frame, data: string) => {
      const { index, content_block: block } = objectOrEmpty(JSON.parse(data));
      const { input, ...rest } = objectOrEmpty(block);
      const partial_json = JSON.stringify(input ?? {});
      if (partial_json === '{}') return frame;
      const delta = { type: 'input_json_delta', partial_json };
      return [
        { type: 'content_block_start', index, content_block: { ...rest, input: {} } },
        { type: 'content_block_delta', index, delta },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join('');
    });
}

/** The answer that an upstream gives. */
interface GivenAnswer {
  readonly dialect: TestDialect;
  readonly said: AnswerContent;
  readonly isStream: boolean;
}

function assertSdkAnswer(
  definition: SdkDefinition,
  { dialect, said, isStream }: GivenAnswer,
  seen: JsonObject,
): void {
  const { surface } = definition;
  const raised = definition.raises?.(said, expectedEnding(surface, dialect, said), isStream);
  if (raised !== undefined) return void assert.equal(errorIn(seen).name, raised);
  assert.equal(seen['error'], undefined, JSON.stringify(seen['error']));
  const inText = definition.refusal === 'in text';
  assert.equal(seen['text'], said.text + (inText ? said.refusal : ''));
  assert.equal(seen['refusal'], definition.refusal === 'apart' ? said.refusal : '');
  assert.equal(seen['thinking'], surface === 'chat' ? '' : said.thinking, 'thinking');
  const calls = objectsOrEmpty(seen['calls']);
  assert.deepEqual(
    calls.map(({ name, input }) => [name, input]),
    said.calls.map((call) => [call.name, JSON.parse(call.arguments || '{}')]),
  );
  for (const [at, { id }] of said.calls.entries())
    if (id === '') assert.match(String(calls[at]?.['id']), /^[A-Za-z0-9_-]{1,64}$/);
    else assert.equal(calls[at]?.['id'], id);
  assert.equal(seen['finish'], expectedFinishReason(definition, dialect, said), 'finish');
  if (!(definition.countsEarly && isStream))
    assert.deepEqual(seen['usage'], said.usage ?? { input: 0, cached: 0, output: 0 });
}

function errorIn(seen: JsonObject): {
  readonly name: string;
  readonly status: unknown;
  readonly message: string;
} {
  const { error, finish } = seen;
  assert.notEqual(error, undefined, `no error, but an answer that ended with ${finish}`);
  const { name, status, message } = objectOrEmpty(error);
  return { name: String(name), status, message: String(message) };
}
