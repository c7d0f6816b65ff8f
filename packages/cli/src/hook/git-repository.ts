import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { readRegularFile } from './regular-file.ts';

const MAX_DEPTH = 40;

/**
 * Returns the branch, and the URL of the remote `origin` without credentials, of the Git repository that
 * contains a directory. Returns undefined if there is no repository. Reads the files of the repository, because
 * starting git takes longer than a request to the relay.
 */
export function findGitRemoteAndBranch(
  cwd: string,
): { readonly remote?: string; readonly branch?: string } | undefined {
  if (!isAbsolute(cwd)) return undefined;
  let at = resolve(cwd);
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const git = resolveGitDirectory(join(at, '.git'));
    if (git !== null) return readRepositoryInfo(git);
    const above = dirname(at);
    if (above === at) return undefined;
    at = above;
  }
  return undefined;
}

/** In worktrees and submodules, `.git` is a file that names the directory. */
function resolveGitDirectory(path: string): string | null {
  try {
    if (statSync(path).isDirectory()) return path;
    const named = /^gitdir: (.+)$/m.exec(readRegularFile(path))?.[1]?.trim();
    return named === undefined ? null : resolve(dirname(path), named);
  } catch {
    return null;
  }
}

function readRepositoryInfo(git: string) {
  const branch = /^ref: refs\/heads\/(.+)$/m
    .exec(readTextOrEmpty(join(git, 'HEAD')))?.[1]
    ?.trim()
    .slice(0, 200);
  const shared = readTextOrEmpty(join(git, 'commondir')).trim();
  const config = readTextOrEmpty(join(shared === '' ? git : resolve(git, shared), 'config'));
  const section = /\[remote "origin"\]([^[]*)/.exec(config)?.[1] ?? '';
  const remote = stripCredentials(/^[ \t]*url[ \t]*=[ \t]*(.+)$/m.exec(section)?.[1]?.trim() ?? '').slice(
    0,
    4_096,
  );
  return { ...(remote !== '' && { remote }), ...(branch && { branch }) };
}

/** Removes credentials, because remote URLs often contain tokens. */
function stripCredentials(url: string): string {
  return url.replace(/^([a-z][a-z+.-]*:\/\/)[^/@]*@/i, '$1');
}

function readTextOrEmpty(path: string): string {
  try {
    return readRegularFile(path);
  } catch {
    return '';
  }
}
