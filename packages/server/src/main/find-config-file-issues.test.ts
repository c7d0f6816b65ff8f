import assert from 'node:assert/strict';
import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkConfigFile } from '../config/check-config.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { compileCatalogs } from '../gateway/compile-catalogs.ts';
import { OutboundConfigError } from '../providers/outbound-connections.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { findConfigFileIssues } from './find-config-file-issues.ts';
import { createOutboundAccess } from './outbound-access.ts';

const env = readEnvironment({});
const fileWith = (caFile: string) => `outbound: { ca_file: ${JSON.stringify(caFile)} }\n`;

function check(caFile: string, allowUnset: boolean) {
  const text = fileWith(caFile);
  return checkConfigFile({
    path: 'floe.yaml',
    text,
    env,
    allowUnset,
    validateSemantics: findConfigFileIssues,
  });
}

test('config check rejects an outbound file that cannot be read; with --allow-unset, the file may be missing', (t) => {
  const directory = createTemporaryDirectory(t);
  const absent = join(directory, 'absent.pem');
  assert.deepEqual(check(absent, false), {
    ok: false,
    lines: [
      'floe.yaml:1:13: outbound.ca_file: the file cannot be read (ENOENT); check that it exists and that Floe is allowed to read it',
    ],
  });
  assert.equal(check(absent, true).ok, true);
  assert.equal(check(directory, true).ok, false);
});

test('outbound settings stay in force if their file cannot be read any more', (t) => {
  const caFile = join(createTemporaryDirectory(t), 'ca.pem');
  writeFileSync(caFile, 'PEM');
  const { config } = loadConfig({ text: fileWith(caFile), env });
  const outbound = createOutboundAccess(config, () => undefined);
  const before = outbound.via('https://a.test');
  assert.equal(before?.ca?.at(-1), 'PEM');
  unlinkSync(caFile);
  assert.equal(outbound.configure(config, 1, new Map())?.code, 'ENOENT');
  assert.deepEqual(outbound.via('https://a.test'), before);
  assert.equal(check(caFile, false).ok, false, 'a new file needs a readable one');
  assert.throws(
    () => outbound.configure(loadConfig({ text: fileWith(`${caFile}.new`), env }).config, 1, new Map()),
    OutboundConfigError,
  );
  assert.deepEqual(outbound.via('https://a.test'), before);
});

test('providers can be used if a file of the outbound settings cannot be read any more', (t) => {
  const caFile = join(createTemporaryDirectory(t), 'ca.pem');
  writeFileSync(caFile, 'PEM');
  const orgs = [{ id: 'acme', providers: [{ id: 'main', kind: 'openai', api_key: 'sk-a' }] }];
  const text = JSON.stringify({ outbound: { ca_file: caFile }, orgs });
  const { config } = loadConfig({ text, env });
  const compile = () =>
    compileCatalogs(config.orgs, null, {
      lookupVariable: () => undefined,
      orgId: '',
      outbound: config.outbound,
    });
  assert.deepEqual(compile().unusable, []);
  unlinkSync(caFile);
  const { catalogs, unusable } = compile();
  assert.deepEqual(unusable, []);
  const provider = catalogs.get('acme')?.providers.get('main');
  assert.equal(provider?.via?.ca?.at(-1), 'PEM');
});
