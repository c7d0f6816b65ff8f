import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RelayEvent, relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from '@floe/relay/compile-relay-config';
import { loadShellParser } from '@floe/relay/shell/shell-parser';
import { eventually } from '@floe/testkit/eventually';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { estimateDecisionBytes, RelayDecisionEngine } from './decision-engine.ts';

const caller = { orgId: 'acme', keyId: 'k', keyName: 'k', team: null, owner: null };

function createEngine(rules: readonly object[], endStep: () => Promise<void>): RelayDecisionEngine {
  const relay = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', self_tamper: 'off', rules }));
  return new RelayDecisionEngine({
    relays: { get: () => ({ relay, version: '1' }), getGrammar: loadShellParser, update: () => [] },
    rows: { append: () => undefined },
    sessions: { recordRelayCall: () => undefined },
    approvals: { requestApproval: () => Promise.reject(new Error('no rule asks')) },
    clock: new FakeClock(0),
    createTurns: () => ({ endStep }),
  });
}

test('an organization with many rules lets others have their turn after each rule', async () => {
  const rules = Array.from({ length: 300 }, (_, at) => ({
    name: `r${at}`,
    on: 'shell',
    when: `command.name == 'dog-${at}'`,
    decision: 'deny',
  }));
  let steps = 0;
  const engine = createEngine(rules, async () => {
    steps += 1;
  });
  const event = relayEvent.parse({ event: 'shell', shell: { command: 'cat a | cat' } });
  const { decision } = await engine.decide(caller, event);
  assert.equal(decision, 'abstain');
  assert.equal(steps, 300);
});

test('the size of a decision in memory includes all rules that match', async () => {
  const engine = createEngine(
    Array.from({ length: 100 }, (_, at) => ({
      name: `rule-${at}`,
      on: 'shell',
      when: 'true',
      mode: 'observe',
      decision: 'deny',
    })),
    async () => undefined,
  );
  const shell = relayEvent.parse({ event: 'shell', shell: { command: 'ls' } });
  const prompt = relayEvent.parse({ event: 'prompt', prompt: { text: 'x' } });
  const [many, none] = [await engine.decide(caller, shell), await engine.decide(caller, prompt)];
  assert.equal(many.matches.length, 100);
  for (const decision of [many, none]) {
    const bytes = JSON.stringify(decision).length;
    const estimate = estimateDecisionBytes(decision);
    assert.ok(estimate >= bytes && estimate < 2 * bytes + 1_500, `${estimate} for ${bytes}`);
  }
});

test('only an event with an id is hashed', async () => {
  const engine = createEngine([], async () => undefined);
  const countSerializations = async (id: { readonly id?: string }) => {
    let count = 0;
    const file = Object.defineProperty({ path: 'a', content: 'b' }, 'toJSON', {
      value: () => {
        count += 1;
        return {};
      },
    });
    const event: RelayEvent = {
      ...relayEvent.parse({ event: 'file_write', file: { path: 'a' } }),
      file,
      ...id,
    };
    await engine.decide(caller, event);
    return count;
  };
  assert.equal(await countSerializations({}), 0);
  assert.equal(await countSerializations({ id: 'e1' }), 1);
});

test('evaluations of one organization run one after the other, and others do not wait', async () => {
  const started: Array<() => void> = [];
  const engine = createEngine(
    [{ name: 'r', on: 'shell', when: `command.name == 'dog'`, decision: 'deny' }],
    () => new Promise((resolve) => started.push(resolve)),
  );
  const event = relayEvent.parse({ event: 'shell', shell: { command: 'cat' } });
  const decided: string[] = [];
  const decide = (orgId: string) =>
    engine.decide({ ...caller, orgId }, event).then(() => void decided.push(orgId));
  const all = [decide('hostile'), decide('hostile'), decide('hostile'), decide('acme')];
  await eventually(() => started.length === 2 || undefined);
  await nextEventLoopTurn();
  assert.equal(started.length, 2, 'one evaluation of each organization');
  while (decided.length < all.length) {
    for (const end of started.splice(0).reverse()) end();
    await nextEventLoopTurn();
  }
  assert.deepEqual(decided, ['acme', 'hostile', 'hostile', 'hostile']);
});
