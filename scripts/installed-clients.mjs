// The Python packages of clients/python, in their pinned versions, in a virtual environment of their own under .runtime/.
// What `npm run test:clients` drives, and what the browser suite runs copied code with.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './setup.mjs';

/** Where `npm run test:clients` keeps what it drives. */
export const CLIENTS_DIR = join(root, '.runtime', 'clients');

/**
 * Installs them where they are not yet. Pip asks the registries that its own configuration names.
 *
 * @param limitMs for all of it; nobody waits longer for a network that is not there
 * @returns why it could not be done; empty when they are there, from now or from before
 */
export function ensurePython(env, limitMs) {
  const until = Date.now() + limitMs;
  const within = (command, args) =>
    runProcess(command, args, { cwd: root, env, timeout: Math.max(1, until - Date.now()) });
  return ensureInstalled('python', ['requirements.txt'], (dir) => {
    const made = within('python3', ['-m', 'venv', '--without-pip', dir]);
    if (made) return `no virtual environment: ${made}`;
    const python = join(dir, 'bin', 'python');
    const wanted = ['install', '--quiet', '--no-compile', '--disable-pip-version-check', '-r'];
    wanted.push(join(dir, 'requirements.txt'));
    // The system's pip where there is one that can: unpacking another takes as long as all the rest.
    if (!within('python3', ['-m', 'pip', '--python', python, '--version']))
      return within('python3', ['-m', 'pip', '--python', python, ...wanted]);
    return within(python, ['-m', 'ensurepip']) || within(python, ['-m', 'pip', ...wanted]);
  });
}

/** Installs a folder of clients/ when what it pins changed. Returns why it could not be; empty when it is there. */
export function ensureInstalled(name, files, install) {
  const from = join(root, 'clients', name);
  const to = join(CLIENTS_DIR, name);
  const wanted = createHash('sha256');
  for (const file of files) wanted.update(readFileSync(join(from, file)));
  const stamp = join(to, '.stamp');
  const digest = wanted.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return '';
  process.stderr.write(`floe: installing clients/${name} (once)\n`);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const file of files) cpSync(join(from, file), join(to, file));
  const why = install(to);
  if (!why) writeFileSync(stamp, digest);
  return why;
}

/** Runs a program to its end. Returns the last thing it said when it failed; empty when it did not. */
export function runProcess(command, args, options) {
  const done = spawnSync(command, args, { ...options, encoding: 'utf8' });
  if (done.status === 0) return '';
  const said = `${done.error?.message ?? ''}${done.stderr ?? ''}`.trim();
  return said.split('\n').at(-1) || `${command} ended with ${done.status ?? done.signal}`;
}

// By itself it prepares what the browser suite needs, beside what else that prepares.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const why = ensurePython(process.env, Number(process.argv[2]));
  if (why) process.stdout.write(`floe: clients/python COULD NOT BE INSTALLED: ${why}\n`);
}
