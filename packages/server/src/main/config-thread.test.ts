import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ConfigError } from '../config/config-problem.ts';
import { readEnvironment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { findConfigIssues } from '../management/config/find-config-issues.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { ConfigThread, type ConfigThreadOptions } from './config-thread.ts';

function setUp(t: TestContext, settings: ConfigThreadOptions = {}) {
  const directory = createTemporaryDirectory(t);
  const path = join(directory, 'floe.yaml');
  writeFileSync(join(directory, 'secret'), `eis_${'1'.repeat(32)}\n`);
  const environment = readEnvironment({
    FLOE_CONFIG: path,
    FLOE_DATA_DIR: directory,
    FLOE_PORT: '4444',
    FLOE_PROT: '1',
    ORG_NAME: 'Acme',
  });
  const thread = new ConfigThread(environment, systemClock, settings);
  t.after(() => thread.close());
  const running = loadConfig({ text: '', env: environment });
  return {
    running,
    load: (from: LoadedConfig) => thread.load(readFileSync(path, 'utf8'), from),
    write: (text: string) => writeFileSync(path, text),
    loadHere: () => loadConfig({ env: environment, validateSemantics: findConfigIssues }),
  };
}

const VALID = `server: { host: "127.0.0.1" }
orgs:
  - id: acme
    name: "\${ORG_NAME}"
    keys: [{ name: ci, key: "\${file:secret}" }]
    policies: [{ name: p, on: request, action: deny, when: "request.max_tokens > 5" }]
`;

const INVALID = [
  'orgs: [{ id: acme, nmae: x }, { id: acme, routes: [{ model: m, targets: [none/x] }] }]',
  'orgs:\n\t- id: x',
  '- a list',
  `orgs: [{ id: acme, name: "\${UNSET_VARIABLE}", keys: [{ name: ci, key: "\${file:missing}" }] }]`,
  'server: { port: 70000 }\norgs: [{ id: acme, timezone: Nowhere }]',
  'orgs:\n  - id: acme\n    policies: [{ name: p, on: request, action: deny, when: "request.((" }]',
];

test('the thread reads a file like the main thread', async (t) => {
  const { load, running, write, loadHere } = setUp(t);
  write(VALID);
  const here = loadHere();
  const there = await load(running);
  assert.deepStrictEqual(there.config, here.config);
  assert.equal(there.config.orgs[0]?.name, 'Acme');
  assert.equal(there.config.server.port, 4444);
  for (const field of ['path', 'text', 'inactiveFields', 'warnings'] as const)
    assert.deepEqual(there[field], here[field]);
  assert.equal(there.warnings.length, 1);
  assert.equal(there.lineOf(['orgs', 0, 'keys', 0]), 5);
  assert.ok(there.sets(['orgs', 0, 'policies']));
  const issues = [{ path: ['orgs', 0, 'keys', 0, 'key'], message: 'is taken' }];
  assert.equal(there.toConfigError(issues).message, here.toConfigError(issues).message);

  const again = await load(there);
  assert.equal(again.config.orgs[0], there.config.orgs[0]);
});

test('an invalid file has the same problems, positions and order as on the main thread', async (t) => {
  const { load, running, write, loadHere } = setUp(t);
  for (const text of INVALID) {
    write(text);
    let here: unknown;
    try {
      loadHere();
    } catch (error) {
      here = error;
    }
    assert.ok(here instanceof ConfigError, text);
    await assert.rejects(load(running), (there) => {
      assert.ok(there instanceof ConfigError);
      assert.equal(there.message, here.message);
      assert.deepEqual(there.problems, here.problems);
      return true;
    });
  }
});

test('the main thread pauses after each chunk of the file', async (t) => {
  let steps = 0;
  const turns = { endStep: async () => void steps++ };
  const { load, running, write } = setUp(t, { turns });
  const keys = Array.from({ length: 950 }, (_, at) => ({
    name: `k${at}`,
    key: `eis_${String(at).padStart(32, '0')}`,
  }));
  write(JSON.stringify({ orgs: [{ id: 'a', keys }, { id: 'b' }] }));
  const loaded = await load(running);
  const { config } = loaded;
  assert.equal(config.orgs[0]?.keys.length, 950);
  assert.equal(steps, 1 + 10 + 1);
  steps = 0;
  write(
    JSON.stringify({
      orgs: [
        { id: 'a', keys },
        { id: 'b', name: 'Other' },
      ],
    }),
  );
  const next = await load(loaded);
  assert.equal(next.config.orgs[0], config.orgs[0]);
  assert.equal(next.config.orgs[1]?.name, 'Other');
  assert.equal(steps, 1, 'an unchanged organization is not read again');
});
