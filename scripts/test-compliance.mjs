// `npm run test:compliance`: judges from outside, fetched at pinned versions and run against a real server:
// compatcanary asks the gateway as a client would, @stdy/cli checks what the gateway sends to OpenAI against its
// OpenAPI document, every shape of an IDE's request included. Beside them run Open Responses' scenarios, which are in
// packages/server/test/open-responses.test.ts. Ends with one table of suite, upstream and result.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, root, setup } from './setup.mjs';

const JUDGES = { compatcanary: '0.2.2', '@stdy/cli': '0.22.2' };

const node = setup();
const env = environment(node);
const place = join(root, '.runtime', 'compliance');
const wanted = JSON.stringify({ private: true, dependencies: JUDGES });
if (!existsSync(join(place, 'node_modules', '.package-lock.json'))) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), wanted);
  const fetched = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: place,
    env,
    stdio: 'inherit',
  });
  if (fetched.status !== 0) process.exit(fetched.status ?? 1);
}
const program = join('packages', 'server', 'test', 'run-compliance.ts');
const done = spawnSync(node, [program, place], { cwd: root, env, stdio: 'inherit' });
process.exit(done.status ?? 1);
