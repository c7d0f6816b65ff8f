// Every way an upstream breaks before content is rescued by a target of another dialect, unseen by the client.
// Tier: ci. Every failure of an upstream over every dialect.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { INJECTED_FAULTS } from '@floe/testkit/fault-table';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import type { InjectedFault } from '@floe/testkit/injected-fault';
import { objectsOrEmpty, parseAnswerContent, TEST_DIALECTS, type TestDialect } from './answer-content.ts';
import { CLIENT_SURFACES, type ClientSurface } from './dialect-gateway.ts';
import { type FailoverGateway, startFailoverGateway } from './failover-gateway.ts';

/** The caller's own mistake: nobody else is asked. What is too long for one model may fit the next. */
const CALLERS = ['content-filter-400'];
/** Known as ours only where a definition says so. */
const UNKNOWN_TO_PLAIN_HOSTS = ['bad-credentials/400-google', 'bad-credentials/400-flat'];
/** The answer is whole all the same. */
const HARMLESS = ['no-done', 'no-usage', 'huge-answer', 'interim-noise'];
/** A stream has shown content when these strike; a whole answer has not. */
const INSIDE = /^(cut-mid-answer|stall-mid-answer|malformed-event|no-finish|error-in-stream|truncated-json)/;
/** The providers with deadlines for faults after which an upstream sends nothing more. */
const SILENT: Readonly<Record<string, string>> = {
  'accept-and-silence': 'quick',
  'slow-first-token': 'quick',
  'stall-mid-answer': 'stalling',
};
/** 40 MB each: once is enough. */
const HUGE = /^huge/;

/** How a route may be told to treat its targets; whatever it says, the fault is rescued. */
const WAYS = {
  plain: {},
  replay: { rescue: 'replay' },
  weighted: { strategy: 'weighted', rescue: 'replay' },
  quickest: { strategy: 'least_latency' },
} as const;
type Way = keyof typeof WAYS;

const routes = TEST_DIALECTS.flatMap((first) =>
  TEST_DIALECTS.flatMap((second) =>
    ['a', 'quick', 'stalling'].flatMap((side) =>
      Object.entries(WAYS).map(([way, more]) => ({
        model: `${first}-${side}-then-${second}-${way}`,
        // A target without weight is the last one.
        targets: [`${first}-${side}/m-1`, { model: `${second}-b/m-2`, weight: 0 }],
        retries: 0,
        ...more,
      })),
    ),
  ),
);
const counts = new Map<string, number>();
let harness: FailoverGateway;

before(async () => {
  harness = await startFailoverGateway(routes);
});
after(async () => {
  await harness.close();
  for (const [outcome, count] of counts) process.stdout.write(`# ${outcome}: ${count}\n`);
});

for (const [at, fault] of INJECTED_FAULTS.entries())
  if (fault.name !== 'keepalive-close-race')
    test(`an upstream that ${fault.description}`, async () => {
      const rowChecks: (() => Promise<void>)[] = [];
      for (const path of pathsFor(fault, at)) rowChecks.push(await check(fault, path));
      for (const path of rescuedPaths(fault, at)) rowChecks.push(await check(fault, path));
      for (const checkRow of rowChecks) await checkRow();
    });

/** Every surface, stream and whole, from its own dialect to another and back again. */
function pathsFor(fault: InjectedFault, at: number): readonly Path[] {
  const paths: readonly Path[] = CLIENT_SURFACES.flatMap((surface, turn) =>
    [false, true].flatMap((stream) => {
      const others = TEST_DIALECTS.filter((dialect) => dialect !== surface);
      const other = others[(at + turn) % others.length] ?? 'gemini';
      return [
        { surface, stream, first: surface, second: other, way: 'plain' },
        { surface, stream, first: other, second: surface, way: 'plain' },
      ];
    }),
  );
  return HUGE.test(fault.name) ? paths.slice(0, 1) : paths;
}

/** The other ways, each on one surface in turn: a stream by `replay` and `weighted`, a whole answer by both strategies. */
function rescuedPaths(fault: InjectedFault, at: number): readonly Path[] {
  if (HUGE.test(fault.name)) return [];
  const pick = <T>(list: readonly T[], turn: number) => list[(at + turn) % list.length] ?? assert.fail();
  const first = pick(TEST_DIALECTS, 0);
  const second = pick(TEST_DIALECTS, 1);
  const surface = pick(CLIENT_SURFACES, 2);
  return [
    { surface, stream: true, first: surface, second, way: 'replay' },
    { surface, stream: true, first, second, way: 'replay' },
    {
      surface: pick(CLIENT_SURFACES, 0),
      stream: true,
      first,
      second: pick(TEST_DIALECTS, 2),
      way: 'weighted',
    },
    { surface, stream: false, first, second, way: 'weighted' },
    { surface, stream: false, first, second: pick(TEST_DIALECTS, 3), way: 'quickest' },
  ];
}

interface Path {
  readonly way: Way;
  readonly surface: ClientSurface;
  readonly stream: boolean;
  readonly first: TestDialect;
  readonly second: TestDialect;
}

/** Asks, judges what the client and the upstreams saw, and gives the check of the row. */
async function check(fault: InjectedFault, path: Path): Promise<() => Promise<void>> {
  const { surface, stream, first, second, way } = path;
  const name = `${surface}${stream ? ' stream' : ''}, ${way}: ${first}, then ${second}`;
  const before = [
    harness.receivedRequests(first, 'a').length,
    harness.receivedRequests(second, 'b').length,
  ] as const;
  await harness.upstream(first, 'a').setFaults(fault);
  const provider = `${first}-${SILENT[fault.name] ?? 'a'}`;
  // Stored answers keep the provider's own id, so they are never generated again.
  const more = surface === 'responses' ? { stream, store: false } : { stream };
  const answer = await harness.send(surface, `${provider}-then-${second}-${way}`, more);
  await harness.upstream(first, 'a').setFaults();
  const calls = [
    harness.receivedRequests(first, 'a').length - before[0],
    harness.receivedRequests(second, 'b').length - before[1],
  ];
  const outcome = outcomeOf(fault, path);
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const isRescued = outcome === 'rescued';
  // The quickest of late may well be the second target: then the fault is never met.
  if (way === 'quickest' && calls[0] === 0 && !fault.isPortClosed) {
    checkWhole(answer, path, { provider: `${second}-b`, attempts: 1 });
    return async () => assert.equal((await harness.row(answer))['state'], 'complete');
  }
  assert.deepEqual(calls, [fault.isPortClosed ? 0 : 1, isRescued ? 1 : 0], name);
  const isReplayed = isRescued && way !== 'plain' && stream && strikesInside(fault, first);
  // The head had gone out when the first one broke.
  if (isReplayed) checkWhole(answer, path, { provider, attempts: 1 });
  else if (isRescued) checkWhole(answer, path, { provider: `${second}-b`, attempts: 2 });
  if (outcome === 'harmless')
    checkWhole(answer, path, { provider, attempts: 1, isHuge: HUGE.test(fault.name) });
  if (outcome === 'passed') assert.equal(answer.status, 400, name);
  if (outcome === 'inside') {
    assert.equal(answer.status, 200, name);
    assert.throws(
      () => checkWhole(answer, path, { provider, attempts: 1 }),
      `${name}: a broken stream looks finished`,
    );
  }
  return () => checkRow(answer, outcome, provider, `${second}-b`);
}

const STATES = { rescued: 'complete', harmless: 'complete', passed: 'failed', inside: 'partial' } as const;
type Outcome = keyof typeof STATES;

async function checkRow(
  answer: HttpCallResponse,
  outcome: Outcome,
  first: string,
  second: string,
): Promise<void> {
  const row = await harness.row(answer);
  assert.equal(row['state'], STATES[outcome]);
  const attempts = objectsOrEmpty(row['attempts']).map(({ provider, error }) => [provider, error === null]);
  // Words of a table, never the name of a class.
  for (const { error } of objectsOrEmpty(row['attempts'])) assert.match(String(error), /^[a-z_]+$/);
  const moves = objectsOrEmpty(row['decisions']).filter(({ outcome }) => outcome === 'moved_on');
  const failed = outcome !== 'harmless';
  assert.deepEqual(attempts, [[first, !failed], ...(outcome === 'rescued' ? [[second, true]] : [])]);
  assert.equal(moves.length, outcome === 'rescued' ? 1 : 0);
  for (const { reason } of moves) assert.ok(String(reason).startsWith(`${first}/m-1: `));
}

function outcomeOf(fault: InjectedFault, { surface, stream, first, way }: Path): Outcome {
  const { name } = fault;
  if (CALLERS.includes(name)) return 'passed';
  if (UNKNOWN_TO_PLAIN_HOSTS.includes(name)) return first === surface ? 'passed' : 'rescued';
  if (HARMLESS.includes(name)) return 'harmless';
  // A whole Responses answer has no finish reason that could be missing: being there is its finish.
  if (name === 'no-finish' && first === 'responses' && !stream) return 'harmless';
  return stream && way === 'plain' && strikesInside(fault, first) ? 'inside' : 'rescued';
}

/** Whether a stream has shown content when this strikes: half of the usual Cohere stream ends one byte before its first. */
function strikesInside({ name, description }: InjectedFault, dialect: TestDialect): boolean {
  return INSIDE.test(name) && !(dialect === 'cohere' && /half of (?:the body|its bytes)/.test(description));
}

interface WholeAnswer {
  readonly provider: string;
  readonly attempts: number;
  /** Its content is not the usual one. */
  readonly isHuge?: boolean;
}

function checkWhole(
  answer: HttpCallResponse,
  { surface, stream }: Path,
  { provider, attempts, isHuge = false }: WholeAnswer,
): void {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  assert.ok(answer.isComplete);
  assert.equal(answer.headers['x-floe-provider'], provider);
  assert.equal(answer.headers['x-floe-attempts'], String(attempts));
  if (isHuge) return;
  assert.doesNotMatch(answer.text, /"error":\s*[{"]/);
  const said = parseAnswerContent(surface, answer.bytes, stream);
  assert.equal(said.text, 'Grüße, Welt ✓');
  assert.ok(['stop', 'end_turn', 'completed'].includes(said.finish));
}

test('a keep-alive connection that breaks during the next request is no failure for the client', async () => {
  const race = INJECTED_FAULTS.find(({ name }) => name === 'keepalive-close-race') ?? assert.fail();
  await harness.upstream('chat', 'a').setFaults(race);
  for (const stream of [false, false, true]) {
    const answer = await harness.send('chat', 'chat-a-then-messages-plain', { stream });
    assert.equal(answer.status, 200);
    assert.equal(parseAnswerContent('chat', answer.bytes, stream).text, 'Grüße, Welt ✓');
  }
  await harness.upstream('chat', 'a').setFaults();
});
