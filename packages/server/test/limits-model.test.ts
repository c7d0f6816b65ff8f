// The default installation as a process of its own: one org, limits in floe.yaml, counters in memory. Random limits,
// bursts of requests that are in flight together, and idle hours; every count has to be that of a plain model.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import fc from 'fast-check';
import { type CountedRequest, GuardrailsModel } from '../src/guardrails/test/guardrails-model.ts';
import { arbitraryScenario, type LimitModel } from '../src/guardrails/test/guardrails-scenarios.ts';
import { PRICED_ANSWER } from './dependency-fleet.ts';
import { buildGuardedConfig } from './guarded-gateway.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH } from './running-gateway.ts';

const RUNS = process.env['FLOE_TEST_FULL'] === undefined ? 3 : 30;
const CLOCK = join(import.meta.dirname, 'shifted-clock.ts');
/** More than any limit allows, so that each burst meets one. */
const BURST = 13;
const KEYS = ['k0', 'k1'].map((name) => ({ name, key: `eis_${name}${'0'.repeat(32)}`, scopes: ['gateway'] }));

type Move = 'idle' | { readonly key: number; readonly count: number };

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Move>('idle') },
    { weight: 3, arbitrary: fc.record({ key: fc.nat(1), count: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ key: fc.nat(1), count: fc.constant(BURST) }) },
  ),
  { minLength: 90, maxLength: 100 },
);

const limits = arbitraryScenario({ budgets: 0, tokens: false }).map(({ orgs: [org] }) => org?.limits ?? []);

/** A usual installation: two keys, each with a limit of its own, and single requests with hours between them. */
const USUAL: readonly LimitModel[] = [
  { subject: { scope: 'key', key: 'k0' }, rpm: undefined, tpm: undefined, concurrency: 3 },
  { subject: { scope: 'key', key: 'k1' }, rpm: 10, tpm: undefined, concurrency: undefined },
];
const QUIET: readonly Move[] = [
  { key: 0, count: 1 },
  'idle',
  { key: 0, count: 1 },
  'idle',
  { key: 0, count: BURST },
  { key: 1, count: BURST },
];

/** Upstream answers wait until they are let go. */
async function startHolding(t: TestContext) {
  let release = Promise.withResolvers<void>();
  const upstream = await startFakeUpstream({ respond: () => release.promise.then(() => PRICED_ANSWER) });
  t.after(() => upstream.close());
  return {
    upstream,
    /** Lets all go that wait now. */
    letGo() {
      release.resolve();
      release = Promise.withResolvers();
    },
  };
}

test('a default installation admits exactly what its limits allow, for bursts and idle hours', async (t) => {
  const { upstream, letGo } = await startHolding(t);

  /** Statuses of requests that are in flight together. */
  async function burst(floe: FloeProcess, key: string, count: number): Promise<number[]> {
    const before = upstream.requests.length;
    let refused = 0;
    const answers = Array.from({ length: count }, async () => {
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
        headers,
        body: buildChatBody({ model: 'fake/model' }),
      });
      if (status !== 200) refused += 1;
      return status;
    });
    await eventually(async () => (refused + upstream.requests.length - before === count ? true : undefined));
    letGo();
    return Promise.all(answers);
  }

  async function play(rules: readonly LimitModel[], steps: readonly Move[]): Promise<void> {
    const env = { NODE_OPTIONS: `--import=${CLOCK}` };
    const floe = await startFloeProcess({ yaml: yamlOf(upstream.url, rules), env });
    const entries: CountedRequest[] = [];
    const model = new GuardrailsModel([{ limits: rules, budgets: [] }], entries);
    let hours = 0;
    try {
      for (const step of steps) {
        if (step === 'idle') {
          process.kill(floe.pid, 'SIGUSR2');
          hours += 1;
          await floe.waitForOutput(new RegExp(`shifted by ${hours} h`));
          continue;
        }
        const { name, key } = KEYS[step.key] ?? assert.fail();
        const open: CountedRequest[] = [];
        for (let n = 0; n < step.count; n++) {
          const estimate = { tokens: 0, nano: 0 };
          const take = { org: 0, key: name, replica: 0, second: hours * 3_600, day: 0, estimate };
          if (model.expectedResult(take) !== 'granted') continue;
          const entry = { ...take, actual: null, isRefused: false, isForgotten: false };
          entries.push(entry);
          open.push(entry);
        }
        const statuses = await burst(floe, key, step.count);
        const admitted = statuses.filter((status) => status === 200).length;
        assert.equal(admitted, open.length, `${statuses.join(' ')} to ${name} after ${hours} h`);
        await released(floe);
        for (const entry of open) Object.assign(entry, { actual: { tokens: 0, nano: 0 } });
      }
    } finally {
      letGo();
      await floe.stop();
    }
  }

  const examples: [readonly LimitModel[], readonly Move[]][] = [[USUAL, QUIET]];
  await fc.assert(fc.asyncProperty(limits, moves, play), { numRuns: RUNS, endOnFailure: true, examples });
});

function yamlOf(upstreamUrl: string, rules: readonly LimitModel[]): string {
  const limits = rules.map((rule, index) => ({
    name: `limit-${index}`,
    ...rule.subject,
    ...(rule.rpm === undefined ? {} : { rpm: rule.rpm }),
    ...(rule.concurrency === undefined ? {} : { concurrency: rule.concurrency }),
  }));
  return JSON.stringify(buildGuardedConfig(upstreamUrl, { keys: KEYS, limits }));
}

/** An answer is whole a moment before its slot is released. */
async function released(floe: FloeProcess): Promise<void> {
  for (const { key } of KEYS)
    await eventually(async () => {
      const answer = await callHttp(`${floe.url}/gateway/v1/key`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const body = answer.json();
      const standing = isJsonObject(body) && Array.isArray(body['limits']) ? body['limits'] : [];
      const isFree = standing.every((limit) => isJsonObject(limit) && !limit['concurrency_used']);
      return answer.status === 200 && isFree ? true : undefined;
    });
}
