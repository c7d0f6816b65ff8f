import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkConfigFile } from './check-config.ts';
import { ConfigError } from './config-problem.ts';
import { readEnvironment, SECRET_ENVIRONMENT_VARIABLES } from './environment.ts';
import { loadConfig } from './load-config.ts';
import { listSecretFilePaths, readSecretFile } from './secret-file.ts';

const home = mkdtempSync(join(tmpdir(), 'floe-secret-file-'));
after(() => rmSync(home, { recursive: true, force: true }));
const SECRET = 'hush-'.repeat(8);

function write(name: string, content: string | Buffer): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

function refused(work: () => unknown): ConfigError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return assert.fail('accepted');
}

/** A configuration whose mail password is in the file `name`. */
function configWith(name: string) {
  const path = write('floe.yaml', `smtp:\n  from: a@example.com\n  url: "smtps://u:\${file:${name}}@mail"\n`);
  return { path, env: readEnvironment({}) };
}

test('a file is read without its trailing newline, whatever its content', () => {
  const contents = { 'a\n': 'a', 'a\r\n': 'a', 'a\n\n': 'a\n', ' a ': ' a ', '${HOME}': '${HOME}', a: 'a' };
  for (const [content, expected] of Object.entries(contents))
    assert.deepEqual(readSecretFile(write('secret', content)), { content: expected });
});

test('${file:PATH} is relative to the configuration file and follows links', () => {
  mkdirSync(join(home, 'secrets'));
  writeFileSync(join(home, 'secrets', 'mail'), 'pass\n');
  symlinkSync('secrets/mail', join(home, 'link'));
  for (const name of ['secrets/mail', 'link', join(home, 'link')])
    assert.equal(loadConfig(configWith(name)).config.smtp?.url, 'smtps://u:pass@mail');
});

test('an unusable file is reported with its position and the reason, without its content', () => {
  const large = write('large', SECRET.repeat(2_000));
  const binary = write('binary', Buffer.from([0xff, 0xfe]));
  const reasons = {
    nowhere: /the file nowhere does not exist; create the file, or correct the path$/,
    [write('empty', '\n')]: /must not be empty$/,
    [large]: /must be at most 64 KB$/,
    [binary]: /must be valid UTF-8$/,
    [home]: /must be a regular file$/,
    '/dev/zero': /must be a regular file$/,
    ' ': /\$\{file:PATH\} must contain a file path/,
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const { message } = refused(() => loadConfig(configWith(name)));
    assert.match(message, /floe\.yaml:3:3: smtp\.url: /);
    assert.match(message, reason);
    assert.doesNotMatch(message, /hush/);
  }
});

test('a file without read permission is not reported as missing', {
  skip: process.getuid?.() === 0 && 'root can read every file',
}, () => {
  const path = write('closed', SECRET);
  chmodSync(path, 0);
  assert.deepEqual(readSecretFile(path), { problem: 'cannot be read (EACCES)', isMissing: false });
});

test('a problem with the content of a file is reported with the path and without the content', () => {
  write('key', 'eis_hush');
  const path = write('keys.yaml', 'orgs: [{ id: a, keys: [{ name: k, key: "${file:key}" }] }]');
  const { message } = refused(() => loadConfig({ path, env: readEnvironment({}) }));
  assert.match(message, /keys\[0\]\.key: .*\(from \$\{file:key\}\)/);
  assert.doesNotMatch(message, /hush/);
});

test('text from elsewhere than a local file cannot refer to files', () => {
  const text = `smtp: { from: a@example.com, url: "smtps://u:\${file:${write('mail', 'pass')}}@mail" }`;
  const { message } = refused(() => loadConfig({ text, path: 'x.yaml', env: readEnvironment({}) }));
  assert.match(message, /\$\{file:PATH\} can be used only in the server's floe\.yaml/);
});

test('config check reads files; with --allow-unset, a missing file is ignored, and an empty one is an error', () => {
  write('mail', 'pass');
  write('blank', '');
  const check = (name: string, allowUnset = false) => checkConfigFile({ ...configWith(name), allowUnset });
  assert.equal(check('mail').ok, true);
  assert.equal(check('nowhere').ok, false);
  const tolerated = check('nowhere', true);
  assert.equal(tolerated.ok, true);
  assert.match(
    tolerated.lines.join(),
    /^not checked: .*floe\.yaml:3:3: smtp\.url: the file nowhere does not/,
  );
  assert.equal(check('blank', true).ok, false);
});

test('every secret variable can be read from a file', () => {
  const path = write('variable', `${SECRET}\n`);
  for (const name of SECRET_ENVIRONMENT_VARIABLES) {
    const environment = readEnvironment({ [`${name}_FILE`]: path });
    const { secretKey, encryptionKeys, overrides } = environment;
    assert.deepEqual([secretKey, ...encryptionKeys, ...overrides.map(({ value }) => value)].filter(Boolean), [
      SECRET,
    ]);
    assert.deepEqual(environment.unknown, []);
  }
});

test('a variable and its file are mutually exclusive, and an unusable file is reported with the variable', () => {
  const path = write('variable', SECRET);
  const both = refused(() => readEnvironment({ FLOE_SECRET_KEY: SECRET, FLOE_SECRET_KEY_FILE: path }));
  assert.equal(
    both.message,
    'FLOE_SECRET_KEY_FILE: must not be set together with FLOE_SECRET_KEY; unset one of them',
  );
  const gone = { FLOE_REDIS_URL_FILE: '/nowhere/x' };
  assert.match(
    refused(() => readEnvironment(gone)).message,
    /^FLOE_REDIS_URL_FILE: the file \/nowhere\/x does not exist; create the file, or correct the path$/,
  );
  assert.deepEqual(readEnvironment(gone, { allowMissingFiles: true }).overrides, []);
  const short = refused(() => readEnvironment({ FLOE_SECRET_KEY_FILE: write('short', 'hush') }));
  assert.match(short.message, /^FLOE_SECRET_KEY_FILE: must be at least 32 characters long/);
  const wrong = readEnvironment({ FLOE_DATABASE_URL_FILE: write('url', 'hush://db') });
  const { message } = refused(() => loadConfig({ text: '', env: wrong }));
  assert.match(message, /^FLOE_DATABASE_URL_FILE: /);
  assert.doesNotMatch(short.message + message, /hush/);
});

test('the files that a text refers to are listed, even if the text is rejected', () => {
  const text = 'a: "${file:x} ${file:/y/z}"\nb: ["${file:x}"\nc: ${NAME}';
  assert.deepEqual(listSecretFilePaths(text, '/etc/floe'), ['/etc/floe/x', '/y/z']);
});
