import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../floe-candidate.ts';

/** A commit that is checked out in a directory of its own. */
export interface BaseWorktree {
  readonly dir: string;
  /** Short hash and date, `5d8dc3b6 of 2026-11-24`. */
  readonly name: string;
  /** Removes the directory and its entry in the repository. May be called twice. */
  remove(): void;
}

/** Tags of releases, such as `v1.2.0`. */
const RELEASE_TAGS = 'v[0-9]*';

/**
 * The commit to compare with: `revision`, or the last release before the current commit.
 *
 * @throws Error if this is not a Git repository, the revision does not exist, or there is no release
 */
export function findBase(revision: string | undefined): string {
  if (revision !== undefined) {
    const found = tryGit('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
    if (found === null) throw new Error(`--base: "${revision}" is not a commit of this repository`);
    return found;
  }
  const tag = tryGit('describe', '--tags', '--abbrev=0', '--match', RELEASE_TAGS);
  if (tag === null) throw new Error('the current commit has no release tag before it. Use --base <commit>.');
  return git('rev-parse', `${tag}^{commit}`);
}

/** Short hash and date of a commit. */
export function describeCommit(commit: string): string {
  return git('show', '--no-patch', '--date=short', '--format=%h of %cd', commit);
}

/** The current commit, and whether files differ from it. */
export function describeWorkingTree(): string {
  const hasChanges = git('status', '--porcelain') !== '';
  return `${describeCommit('HEAD')}${hasChanges ? ' with uncommitted changes' : ''}`;
}

/**
 * Checks a commit out into `dir`, which must not exist, with the dependencies that its package-lock.json names.
 *
 * @throws Error if the commit has no server, or its dependencies cannot be installed
 */
export function checkOutBase(commit: string, dir: string): BaseWorktree {
  git('worktree', 'add', '--quiet', '--detach', dir, commit);
  const remove = () => {
    if (!existsSync(dir)) return;
    rmSync(dir, { recursive: true, force: true });
    spawnSync('git', ['worktree', 'prune'], { cwd: PROJECT, stdio: 'ignore' });
  };
  try {
    if (!existsSync(join(dir, 'packages', 'server', 'bin', 'server.mjs')))
      throw new Error(`commit ${commit} has no packages/server/bin/server.mjs. Choose a later --base.`);
    if (hasSameDependencies(dir)) linkDependencies(dir);
    else installDependencies(dir);
    return { dir, name: describeCommit(commit), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function hasSameDependencies(dir: string): boolean {
  const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  return lockOf(dir) === lockOf(PROJECT);
}

/**
 * Links the packages of the working tree into `dir`. The project's own packages are links to its sources, so `dir`
 * needs links to its own: with one link to all of node_modules, the base would run the code of the working tree.
 */
function linkDependencies(dir: string): void {
  const from = join(PROJECT, 'node_modules');
  const to = join(dir, 'node_modules');
  mkdirSync(join(to, '@floe'), { recursive: true });
  for (const name of readdirSync(from))
    if (name !== '@floe' && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, '@floe')))
    symlinkSync(join(dir, 'packages', name), join(to, '@floe', name));
  for (const name of readdirSync(join(PROJECT, 'packages'))) {
    const own = join(PROJECT, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(dir, 'packages', name, 'node_modules'));
  }
}

/** As the base itself installs them. */
function installDependencies(dir: string): void {
  process.stderr.write('bench: the dependencies of the base differ from those of the working tree\n');
  const setup = [join(dir, 'scripts', 'setup.mjs')];
  if (spawnSync(process.execPath, setup, { cwd: dir, stdio: ['ignore', 2, 2] }).status !== 0)
    throw new Error('the dependencies of the base could not be installed (see the message above)');
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: PROJECT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new Error(`git ${args[0]} failed: ${stderr}`);
  }
}

/** The output of a command that may fail; null if it does. */
function tryGit(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
