import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { checkConfigFile } from './check-config.ts';
import { ConfigError } from './config-problem.ts';
import { readEnvironment } from './environment.ts';
import { findInactiveFields } from './inactive-fields.ts';
import { type LoadedConfig, loadConfig } from './load-config.ts';

const KEY = `eis_${'k'.repeat(40)}`;
const VALID = `
server: { port: 4000 }
smtp: { url: "smtps://u:hidden-smtp@mail.example.com", from: floe@example.com }
orgs:
  - id: acme
    teams: [{ id: platform }]
    keys: [{ name: ci, key: ${KEY}, team: platform }]
    providers:
      - { id: main, kind: openai, credentials: [{ name: a, api_key: hidden-api }], headers: { x: hidden-header } }
      - { id: own, kind: vllm, base_url: "http://127.0.0.1:8000/v1", prices: { m: { input: 1, output: 2 } } }
    passthrough: { a: main, b: [own, { provider: own, model_map: { x: y } }] }
    routes: [{ model: smart, targets: [main/x, { model: own/y }] }]
    limits: [{ scope: key, key: ci, rpm: 5 }]
    budgets: [{ name: b, scope: org, period: month, limit_usd: 5 }]
    monitors: [{ id: job, expected_interval_minutes: 5, channels: [ops] }]
    channels: [{ name: ops, kind: webhook, url: "https://hooks.example.com/hidden-hook", secret: hidden-secret }]
    boards: [{ slug: status, groups: [{ name: Jobs, monitors: [job] }] }]
`;

function load(text: string, variables: Record<string, string> = {}): LoadedConfig {
  return loadConfig({ text, env: readEnvironment(variables) });
}

function refused(text: string, variables: Record<string, string> = {}): ConfigError {
  try {
    load(text, variables);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return assert.fail('the file was accepted');
}

test('the environment overrides the file, and the file overrides the default', () => {
  assert.equal(load('').config.server.port, 3563);
  assert.equal(load('server: { port: 1 }').config.server.port, 1);
  const env = { FLOE_PORT: '2', FLOE_DATABASE_URL: 'postgres://db/floe', FLOE_REDIS_URL: 'redis://r' };
  const { server, storage } = load('server: { port: 1 }\nstorage: { shared: memory }', env).config;
  assert.equal(server.port, 2);
  assert.equal(server.base_url, 'http://127.0.0.1:2');
  assert.deepEqual(storage, { database: 'postgres://db/floe', shared: 'redis://r', shared_timeout_ms: 50 });
});

test('the default database is in the data directory', () => {
  assert.equal(load('', { FLOE_DATA_DIR: '/data' }).config.storage.database, 'sqlite:/data/floe.db');
});

test('an invalid variable is reported by its name and without its value', () => {
  assert.equal(refused('', { FLOE_PORT: 'secret' }).message, 'FLOE_PORT: must be a number');
});

test('an empty file, a comment and keys without values result in the defaults', () => {
  for (const text of ['', '# nothing\n', 'server:\n', 'orgs:\n', 'server: { host: }\n', '---\n'])
    assert.equal(load(text).config.server.port, 3563, JSON.stringify(text));
});

test('the configuration is deeply frozen', () => {
  const { config } = load(VALID);
  const unfrozen = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (!Object.isFrozen(value) || Object.values(value).some(unfrozen));
  assert.ok(!unfrozen(config));
});

test('all mistakes are reported together, in the order of the file, with their positions', () => {
  const error = refused(
    [
      'server:',
      '  prot: 1',
      '  port: "${PORT}"',
      'orgs:',
      '  - id: acme',
      '    providers:',
      '      - { id: a, kind: opnai }',
      '    routes:',
      '      - { model: x, targets: [b/x] }',
    ].join('\n'),
  );
  assert.deepEqual(error.message.split('\n'), [
    'floe.yaml:2:3: server: unknown key "prot"; did you mean "port"?',
    'floe.yaml:3:3: server.port: the environment variable PORT is not set; set it, or write ${PORT:-default} for a default',
    'floe.yaml:7:18: orgs[0].providers[0].kind: is not a valid value; did you mean "openai"?',
    'floe.yaml:9:31: orgs[0].routes[0].targets[0]: this provider does not exist',
  ]);
});

test('a key that belongs to another kind is not suggested', () => {
  const channel = (fields: string) =>
    refused(`orgs: [{ id: a, channels: [{ name: c, ${fields} }] }]`).message;
  const message = channel('kind: pagerduty, routing_key: k, url: "https://a.example"');
  assert.match(message, /unknown key "url"; valid keys: /);
  assert.doesNotMatch(message, /chat_id|did you mean "url"/);
  assert.match(
    channel('kind: pagerduty, routing_kay: k'),
    /unknown key "routing_kay"; did you mean "routing_key"\?/,
  );
});

test('the message about an invalid substituted value contains the name of the variable', () => {
  assert.equal(
    refused('server: { port: "${PORT}" }', { PORT: 'abc' }).message,
    'floe.yaml:1:11: server.port: must be a number (from ${PORT})',
  );
});

test('the message about text that YAML reads as a number suggests quotes', () => {
  assert.match(
    refused('orgs: [{ id: a, teams: [{ id: t, cost_center: 47 }] }]').message,
    /put the value in quotes/,
  );
});

test('each YAML mistake has a one-line message in plain words', () => {
  const cases: Record<string, RegExp> = {
    'server: { port: ${PORT} }': /^floe.yaml:1:\d+: .*quotes inside \{ \}/,
    'a: 1\na: 2': /^floe.yaml:2:1: this key occurs more than once in the same map/,
    'server:\n\tport: 1': /^floe.yaml:2:1: a tab/,
    'server:\n    port: 1\n  host: x': /^floe.yaml:3:1: the indentation/,
    'a: *nowhere': /^floe.yaml:1:1: a: must refer to an anchor/,
    'a: 1\n---\nb: 2': /only one document/,
    'a: !secret x': /tags/,
    'a: !!timestamp 2030-01-01': /tags/,
    'a: !!binary eA==': /tags/,
    'a: !!set { x }': /tags/,
    '%YAML 1.1\n---\na: !!timestamp 2030-01-01': /tags/,
    'api_key: "unclosed': /closing quote/,
    '? [x]\n: 1': /each key must be plain text/,
    'just text': /must be a map with sections/,
    '- a': /must be a map with sections/,
  };
  for (const [text, expected] of Object.entries(cases)) assert.match(refused(text).message, expected, text);
});

test('the directive "%YAML 1.1" changes no value', () => {
  const text = 'orgs: [{ id: acme, name: yes, keys: [{ name: ci, expires_at: 2030-01-01 }] }]';
  const read = (yaml: string) => {
    try {
      return load(yaml).config.orgs;
    } catch (error) {
      return String(error).replaceAll(/:\d+:\d+/g, '');
    }
  };
  assert.deepEqual(read(`%YAML 1.1\n---\n${text}`), read(text));
});

test('text that PostgreSQL cannot store is an error with its position', () => {
  assert.equal(
    refused('orgs:\n  - id: acme\n    name: "a\\0b"\n').message,
    'floe.yaml:3:5: orgs[0].name: must not contain the character U+0000',
  );
});

test('the message about a value with many references names each of them once', () => {
  const name = '${X}'.repeat(300);
  assert.match(refused(`orgs: [{ id: acme, name: "${name}" }]`, { X: 'y' }).message, /\(from \$\{X\}\)$/);
});

test('aliases that multiply or refer to themselves cause an error and no hang', () => {
  const rows = ['a0: &a0 [x, x]'];
  for (let i = 1; i < 40; i++) rows.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
  const tooMany = /^floe\.yaml:\d+:\d+: must have at most 100,000 values after its aliases are expanded/;
  assert.match(refused(rows.join('\n')).message, tooMany);
  assert.match(refused(`a: [${'x,'.repeat(100_000)}]`).message, tooMany);
  assert.match(refused('a: &a [*a]').message, /: a: is nested too deeply; use at most 64 levels$/);
  assert.match(refused('['.repeat(50_000)).message, /nested too deeply/);
  assert.match(refused(`a: "${'x'.repeat(5 << 20)}"`).message, /must have at most 4 million characters/);
});

test('an anchor can be used several times', () => {
  const { config } = load(
    'orgs:\n  - id: a\n    providers:\n      - { id: x, kind: openai, models: &m [gpt-5] }\n      - { id: y, kind: openai, models: *m }\n',
  );
  assert.deepEqual(config.orgs[0]?.providers[1]?.models, ['gpt-5']);
});

test('fields that are set in the file have a line, and other fields have none', () => {
  const { lineOf } = load(VALID);
  assert.equal(lineOf(['server', 'port']), 2);
  assert.equal(lineOf(['orgs', 0, 'keys', 0]), 7);
  assert.equal(lineOf(['orgs', 0, 'keys', 0, 'expires_at']), 7);
  assert.equal(lineOf(['retention', 'checks_days']), undefined);
});

test('a field without effect is reported with its line if the file sets it to a value other than the default', () => {
  const active = 'smtp: { url: "" }\nauth: {}\norgs:\n  - id: a\n    relay: { mode: enforce }\n';
  const inactiveIn = (telemetry: string) =>
    loadConfig({ text: `${active}telemetry:\n  ${telemetry}\n`, env: readEnvironment({}) }).inactiveFields;
  assert.deepEqual(inactiveIn('otlp_endpoint: http://collector:4318'), ['telemetry.otlp_endpoint (line 7)']);
  assert.deepEqual(inactiveIn('otlp_endpoint: "${FLOE_NOTHING:-}"'), []);
  assert.deepEqual(inactiveIn('metrics_token: secret'), []);
  const { lines } = checkConfigFile({
    text: 'telemetry: { otlp_endpoint: http://c }',
    path: 'x.yaml',
    env: readEnvironment({}),
  });
  assert.equal(lines[1], 'telemetry.otlp_endpoint (line 1) has no effect in this version');
});

test('fields without effect are found in lists, maps, unions and whole sections', () => {
  const schema = z.object({
    a: z.array(z.object({ b: z.string().default('x').meta({ inactive: true }), c: z.string() })),
    d: z.record(z.string(), z.union([z.string(), z.object({ e: z.number().meta({ inactive: true }) })])),
    f: z.object({ g: z.string() }).meta({ inactive: true }).optional(),
  });
  const config = { a: [{ b: 'x' }, { b: 'y', c: 'z' }], d: { one: { e: 1 }, two: 'short' }, f: { g: 'h' } };
  assert.deepEqual(
    findInactiveFields(
      schema,
      config,
      () => true,
      () => 1,
    ),
    ['a[1].b (line 1)', 'd.one.e (line 1)', 'f.g (line 1)'],
  );
});

test('an unknown FLOE_ variable is a warning unless the file uses it', () => {
  const env = { FLOE_PROT: '1', FLOE_TEAM_HOST: 'h' };
  assert.deepEqual(load('server: { host: "${FLOE_TEAM_HOST}" }', env).warnings, [
    'unknown environment variable FLOE_PROT; did you mean FLOE_PORT?',
  ]);
});

test('a named file must exist and be UTF-8; floe.yaml can be absent', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'floe-config-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'floe.yaml');
  const env = readEnvironment({ FLOE_CONFIG: path });
  assert.throws(() => loadConfig({ env }), /cannot be read \(ENOENT\)/);
  writeFileSync(path, Buffer.from([0x61, 0x3a, 0xff]));
  assert.throws(() => loadConfig({ env }), /is not valid UTF-8/);
  writeFileSync(path, '\uFEFFserver: { port: 99 }\r\n');
  assert.equal(loadConfig({ env }).config.server.port, 99);
  assert.equal(loadConfig({ env }).path, path);
});

test('config check prints a summary or the problems', () => {
  const env = readEnvironment({});
  assert.deepEqual(checkConfigFile({ text: VALID, path: 'x.yaml', env }), {
    ok: true,
    lines: ['ok: x.yaml: 1 org, 2 providers, 1 route, 1 monitor'],
  });
  assert.deepEqual(checkConfigFile({ text: 'srver: {}', path: 'x.yaml', env }).ok, false);
});

test('config check without secrets ignores unset variables, and nothing else', () => {
  const env = readEnvironment({});
  const text = (interval: number) =>
    `orgs: [{ id: a, name: A, keys: [{ name: k, key: "\${CI_KEY}" }], monitors: [{ id: m, expected_interval_minutes: ${interval} }] }]`;
  const checked = (interval: number, allowsUnset: boolean) =>
    checkConfigFile({ text: text(interval), path: 'x.yaml', env, allowUnset: allowsUnset });
  assert.equal(checked(5, false).ok, false);
  assert.equal(checked(5, true).ok, true);
  assert.match(
    checked(5, true).lines.join(),
    /^not checked: x\.yaml:1:\d+: orgs\[0\]\.keys\[0\]\.key: .*CI_KEY/,
  );
  assert.equal(checked(-5, true).ok, false);
});

/** Every path of a tree, containers included. */
function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return entries.flatMap(([key, child]) => [[...path, key], ...pathsOf(child, [...path, key])]);
}

/** A copy of the tree with one place changed by `change(container, key)`. */
function changed(
  path: (string | number)[],
  change: (container: Record<string, unknown>, key: string) => void,
) {
  const tree = parse(VALID);
  let container = tree;
  for (const step of path.slice(0, -1)) container = container[step];
  change(container, String(path.at(-1)));
  return tree;
}

test('for any change to a valid file, each problem has a line of the file, and no value is shown', () => {
  const paths = pathsOf(parse(VALID));
  const values = fc.oneof(
    fc.constantFrom<unknown>('SENTINEL-value', 0, -1, 1.5, true, [], {}, ['SENTINEL-value'], {
      x: 'SENTINEL-value',
    }),
    fc.constantFrom<unknown>('${UNSET_NAME}', '${SENTINEL}', '${', null),
  );
  const changes = fc.oneof(
    values.map((value) => (container: Record<string, unknown>, key: string) => {
      container[key] = value;
    }),
    fc.constant((container: Record<string, unknown>, key: string) => {
      if (Array.isArray(container)) container.splice(Number(key), 1);
      else delete container[key];
    }),
    fc.constant((container: Record<string, unknown>, key: string) => {
      if (!Array.isArray(container)) container[`${key}x`] = 'SENTINEL-value';
    }),
  );
  let refusals = 0;
  fc.assert(
    fc.property(fc.constantFrom(...paths), changes, (path, change) => {
      const text = stringify(changed(path, change));
      try {
        load(text, { SENTINEL: 'SENTINEL-value' });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        refusals += 1;
        const lines = text.split('\n').length;
        assert.ok(error.problems.length > 0);
        for (const { position, message } of error.problems) {
          assert.ok(position !== undefined && position.line >= 1 && position.line <= lines, message);
          assert.doesNotMatch(message, /SENTINEL-value|hidden-|eis_k/);
        }
      }
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 5_000 : 400 },
  );
  assert.ok(refusals > 50, `only ${refusals} changes were refused`);
});
