import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deserialize } from 'node:v8';
import type { FloeConfig } from '@floe/contract/config';
import { ConfigAssembler, MAX_ENTRIES_PER_CHUNK, splitConfig } from './config-chunks.ts';
import { readEnvironment } from './environment.ts';
import { loadConfig } from './load-config.ts';

const LONG = 2 * MAX_ENTRIES_PER_CHUNK + 7;

function load(change: { readonly key?: number; readonly timezone?: string } = {}): FloeConfig {
  const keys = Array.from({ length: LONG }, (_, at) => ({
    name: `key-${at}`,
    key: `eis_${String(at === change.key ? at + LONG : at).padStart(32, '0')}`,
    models: ['sandbox/*'],
  }));
  const orgs = [
    { id: 'long', keys, providers: [{ id: 'sandbox', kind: 'sandbox' }] },
    {
      id: 'short',
      timezone: change.timezone ?? 'UTC',
      budgets: [{ name: 'all', scope: 'org', limit_usd: 5, period: 'month' }],
    },
    { id: 'empty' },
  ];
  const text = JSON.stringify({ retention: { audit_days: 9 }, orgs });
  return loadConfig({ text, env: readEnvironment({}) }).config;
}

function join(config: FloeConfig, running: FloeConfig): FloeConfig {
  const { installation, orgs } = splitConfig(config);
  const assembler = new ConfigAssembler(running);
  for (const chunk of orgs.flatMap(({ chunks }) => chunks)) assembler.add(chunk);
  return assembler.finish(installation);
}

const NOTHING = loadConfig({ text: '', env: readEnvironment({}) }).config;

/** The parts of a value that are not frozen. */
function listUnfrozen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.isFrozen(value) ? [] : [path];
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, child]) => listUnfrozen(child, `${path}.${name}`)),
  ];
}

test('the joined chunks are equal to the configuration, and frozen', () => {
  const config = load();
  const joined = join(config, NOTHING);
  assert.deepStrictEqual(joined, config);
  assert.deepEqual(listUnfrozen(joined), []);
});

test('a chunk has at most a fixed number of entries, for lists of any length', () => {
  const chunks = splitConfig(load()).orgs.flatMap((org) => org.chunks);
  const counts = chunks.map((chunk) => {
    const lists = Object.values(deserialize(chunk).org ?? deserialize(chunk)).filter(Array.isArray);
    return Math.max(...lists.map(({ length }) => length));
  });
  assert.deepEqual(counts, [1, MAX_ENTRIES_PER_CHUNK, MAX_ENTRIES_PER_CHUNK, 7, 1, 0]);
});

test('parts that are equal in the active configuration are the same object', () => {
  const running = load();
  const same = join(load(), running);
  for (const [at, org] of same.orgs.entries()) assert.equal(org, running.orgs[at]);

  const joined = join(load({ key: 150 }), running);
  const [long, short, empty] = joined.orgs;
  assert.equal(short, running.orgs[1]);
  assert.equal(empty, running.orgs[2]);
  assert.notEqual(long, running.orgs[0]);
  assert.equal(long?.providers, running.orgs[0]?.providers);
  assert.equal(long?.keys[149], running.orgs[0]?.keys[149]);
  assert.deepStrictEqual(joined, load({ key: 150 }));

  const moved = join(load({ timezone: 'Europe/Vienna' }), running);
  assert.equal(moved.orgs[0], running.orgs[0]);
  assert.deepStrictEqual(moved, load({ timezone: 'Europe/Vienna' }));
});

test('equal organizations have the same digest, and are reused without reading their chunks', () => {
  const running = load();
  const digests = (config: FloeConfig) => splitConfig(config).orgs.map(({ digest }) => digest);
  const [long, ...others] = digests(load({ key: 150 }));
  assert.deepEqual(others, digests(running).slice(1));
  assert.notEqual(long, digests(running)[0]);

  const assembler = new ConfigAssembler(running);
  assert.ok(assembler.addRunning('short'));
  assert.ok(!assembler.addRunning('unknown'));
  assert.deepEqual(assembler.finish({ ...running, orgs: [] }).orgs, [running.orgs[1]]);
});
