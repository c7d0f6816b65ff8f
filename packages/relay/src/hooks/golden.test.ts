import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { relayEvent, relayReport } from '@floe/contract/api/relay';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import type { HookDecision } from './hook-adapter.ts';
import { applyAskFallback, HOOK_ADAPTERS, selectStrictestHookDecision } from './hook-adapters.ts';

const GOLDEN = join(import.meta.dirname, 'golden');

interface Golden {
  readonly agent: string;
  readonly name: string;
  readonly file: JsonObject;
}

function* goldenFiles(): Generator<Golden> {
  for (const agent of readdirSync(GOLDEN))
    for (const version of readdirSync(join(GOLDEN, agent)))
      for (const name of readdirSync(join(GOLDEN, agent, version))) {
        const file: unknown = JSON.parse(readFileSync(join(GOLDEN, agent, version, name), 'utf8'));
        assert.ok(isJsonObject(file));
        yield { agent, name: `${agent} ${version} ${name.replace('.json', '')}`, file };
      }
}

const OUTCOMES: Readonly<Record<string, HookDecision>> = {
  deny: { decision: 'deny', userMessage: 'No force pushes.', agentMessage: 'Open a pull request.' },
  ask: { decision: 'ask', userMessage: 'Somebody must agree.', agentMessage: 'Wait.' },
  allow: { decision: 'allow', userMessage: null, agentMessage: null },
  abstain: { decision: 'abstain', userMessage: null, agentMessage: null },
};

/** As a wire file has it: without what is undefined, empty or null. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function adapterOf(agent: string) {
  const adapter = HOOK_ADAPTERS.get(agent);
  assert.ok(adapter, `there is an adapter for ${agent}`);
  return adapter;
}

for (const { agent, name, file } of goldenFiles())
  test(`${name}: read and answered as its golden file says`, () => {
    const adapter = adapterOf(agent);
    assert.ok(isJsonObject(file['payload']));
    const call = adapter.read(file['payload']);
    assert.deepEqual(plain(call), file['call']);
    assert.equal(adapter.canAsk(call.name), file['asks']);
    assert.equal(adapter.canBlock(call.name), file['gates']);
    for (const [decision, outcome] of Object.entries(OUTCOMES)) {
      const { stdout, stderr, exitCode } = adapter.reply(call, outcome);
      const reply = { ...(stdout && { stdout }), ...(stderr && { stderr }), exitCode };
      assert.deepEqual(reply, isJsonObject(file['replies']) && file['replies'][decision], decision);
    }
  });

test('there are golden files for every agent', () => {
  assert.deepEqual(new Set([...goldenFiles()].map(({ agent }) => agent)), new Set(HOOK_ADAPTERS.keys()));
});

test('whatever a payload holds, what an adapter reads is an event or a report that the relay takes', () => {
  const hookNames = [...goldenFiles()].flatMap(({ file }) =>
    isJsonObject(file['payload']) ? [file['payload']] : [],
  );
  const mutated = fc
    .tuple(fc.constantFrom(...hookNames), fc.dictionary(fc.string(), fc.jsonValue()), fc.nat())
    .map(([payload, more, at]) => {
      const members = Object.keys(payload);
      const member = members[at % members.length] ?? 'cwd';
      return { ...payload, ...more, [member]: Object.values(more)[0] ?? null };
    });
  fc.assert(
    fc.property(fc.constantFrom(...HOOK_ADAPTERS.values()), mutated, (adapter, payload) => {
      const given: unknown = JSON.parse(JSON.stringify(payload));
      assert.ok(isJsonObject(given));
      const call = adapter.read(given);
      for (const event of call.events) relayEvent.parse(plain(event));
      if (call.report) relayReport.parse(plain(call.report));
      for (const outcome of Object.values(OUTCOMES)) adapter.reply(call, outcome);
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 5_000 : 300 },
  );
});

test('a call of several events is answered with the strictest, and allowed only as a whole', () => {
  const [deny, ask, allow, abstain] = ['deny', 'ask', 'allow', 'abstain'].map((name) => OUTCOMES[name]);
  assert.ok(deny && ask && allow && abstain);
  assert.equal(selectStrictestHookDecision([allow, deny, ask]).decision, 'deny');
  assert.equal(selectStrictestHookDecision([allow, ask]).decision, 'ask');
  assert.equal(selectStrictestHookDecision([allow, abstain]).decision, 'abstain');
  assert.equal(selectStrictestHookDecision([allow, allow]).decision, 'allow');
  assert.equal(selectStrictestHookDecision([]).decision, 'abstain');
});

test('where an agent cannot ask, the fallback of the org stands in', () => {
  const ask = OUTCOMES['ask'];
  assert.ok(ask);
  const call = (name: string) => ({ name, events: [], report: null });
  assert.equal(applyAskFallback(adapterOf('codex'), call('PreToolUse'), ask, 'deny').decision, 'deny');
  assert.equal(
    applyAskFallback(adapterOf('cursor'), call('beforeShellExecution'), ask, 'abstain').decision,
    'abstain',
  );
  assert.equal(applyAskFallback(adapterOf('claude-code'), call('PreToolUse'), ask, 'deny').decision, 'ask');
});
