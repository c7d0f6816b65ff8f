// Tier: artifacts. Needs the built release.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { ensureNode } from '../../setup.mjs';
import { artifact, assertAnswers, emptyDirectory, run, startServer, VERSION } from './artifacts.mjs';

const EVENT = JSON.stringify({ event: 'shell', shell: { command: 'sudo env X=1 git push -f' } });

const HOOK_INPUT = JSON.stringify({
  hook_event_name: 'PreToolUse',
  session_id: 's1',
  tool_name: 'Bash',
  tool_input: { command: 'git push --force' },
});
/** A field as an option of the command line; objects are JSON. */
const optionOf = ([name, value]) => [`--${name}`, typeof value === 'string' ? value : JSON.stringify(value)];
const CURRENT = Number(process.versions.node.split('.')[0]);

/** Installs a package with npm, without a registry, into an empty directory. */
function install(t, name) {
  const home = emptyDirectory(t);
  writeFileSync(join(home, 'package.json'), '{ "private": true }');
  const env = { PATH: process.env.PATH, HOME: home };
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', artifact(name)], { cwd: home, env });
  return home;
}

/** Environment of the installed commands: the Node.js and the package, and no program of the machine. */
function environmentOf(home, node) {
  return { PATH: `${dirname(node)}:${join(home, 'node_modules/.bin')}`, HOME: home };
}

suite('the npm package', { concurrency: 2 }, () => {
  for (const major of [CURRENT, 24, 22])
    test(`on Node.js ${major}: it installs offline, serves, and its commands work`, async (t) => {
      const node = major === CURRENT ? process.execPath : ensureNode(major);
      const home = install(t, `floe-${VERSION}.tgz`);
      const env = environmentOf(home, node);
      const floe = (args, more = {}) =>
        run(node, [join(home, 'node_modules/.bin/floe'), ...args], { cwd: home, env: { ...env, ...more } });
      assert.equal(floe(['version']), `floe ${VERSION}\n`);
      const server = await startServer(t, node, [join(home, 'node_modules/.bin/floe'), 'serve'], {
        cwd: home,
        env,
      });
      await assertAnswers(server);
      const page = await fetch(server.url);
      assert.match(await page.text(), /<script type="module"[^>]* src="\.?\/?assets\//);
      const api = { FLOE_BASE_URL: server.url, FLOE_API_KEY: server.key };
      const when = "request.model.matches('^sandbox/') && request.max_tokens > 8000";
      floe(
        ['policies', 'create', '--name', 'cap', '--on', 'request', '--when', when, '--action', 'deny'],
        api,
      );
      const { commands } = JSON.parse(
        floe(['relay', 'simulate', '--mode', 'enforce', '--event', EVENT, '--json'], api),
      );
      assert.deepEqual(
        commands.map(({ name }) => name),
        ['sudo', 'env', 'git'],
      );
      const hook = join(home, 'node_modules/floe/bin/floe-hook.mjs');
      assert.ok(floe(['hook', 'install', 'claude-code', '--dry-run'], api).includes(hook), hook);
      const rule = {
        name: 'no-push',
        on: 'shell',
        match: { command: 'git', subcommand: 'push' },
        decision: 'deny',
      };
      floe(['relay-rules', 'create', ...Object.entries(rule).flatMap(optionOf)], api);
      floe(['settings', 'update', '--relay', '{"mode": "enforce"}'], api);
      const said = run(node, [hook, 'claude-code'], {
        cwd: home,
        env: { ...env, ...api },
        input: HOOK_INPUT,
      });
      assert.equal(JSON.parse(said).hookSpecificOutput.permissionDecision, 'deny');
      assert.equal(await server.stop(), 0);
    });
});

test('an unsupported Node.js gets one line that names the supported ones', () => {
  const source = readFileSync(new URL('../package/supported-node.mjs', import.meta.url), 'utf8');
  const program = `${source.replace('export ', '')}
    Object.defineProperty(process.versions, 'node', { value: '20.19.0' });
    assertSupportedNode();`;
  assert.throws(
    () => run(process.execPath, ['--input-type=module', '--eval', program]),
    /Node\.js 20\.19\.0 is not supported\. Install Node\.js 22 \(22\.19 or newer\)/,
  );
});

test('@floe/sdk imports from ESM and CommonJS', (t) => {
  const home = install(t, `floe-sdk-${VERSION}.tgz`);
  const esm = "import { Floe } from '@floe/sdk'; console.log(typeof Floe);";
  const cjs = "const { Floe } = require('@floe/sdk'); console.log(typeof Floe);";
  writeFileSync(join(home, 'program.mjs'), esm);
  writeFileSync(join(home, 'program.cjs'), cjs);
  for (const name of ['program.mjs', 'program.cjs'])
    assert.equal(run(process.execPath, [name], { cwd: home }), 'function\n');
});
