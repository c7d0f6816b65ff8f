import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

const MOST_DEPTH = 40;

/** Remote and branch of the repository around a directory, from its files: starting git would cost more than asking the relay. */
export function repositoryAround(
  cwd: string,
): { readonly remote?: string; readonly branch?: string } | undefined {
  if (!isAbsolute(cwd)) return undefined;
  let at = resolve(cwd);
  for (let depth = 0; depth < MOST_DEPTH; depth += 1) {
    const git = gitDirectory(join(at, '.git'));
    if (git !== null) return described(git);
    const above = dirname(at);
    if (above === at) return undefined;
    at = above;
  }
  return undefined;
}

/** Worktrees and submodules have a file in its place that names the directory. */
function gitDirectory(path: string): string | null {
  try {
    if (statSync(path).isDirectory()) return path;
    const named = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.trim();
    return named === undefined ? null : resolve(dirname(path), named);
  } catch {
    return null;
  }
}

function described(git: string) {
  const branch = /^ref: refs\/heads\/(.+)$/m
    .exec(textOf(join(git, 'HEAD')))?.[1]
    ?.trim()
    .slice(0, 200);
  const shared = textOf(join(git, 'commondir')).trim();
  const config = textOf(join(shared === '' ? git : resolve(git, shared), 'config'));
  const section = /\[remote "origin"\]([^[]*)/.exec(config)?.[1] ?? '';
  const remote = withoutSecret(/^\s*url\s*=\s*(.+)$/m.exec(section)?.[1]?.trim() ?? '').slice(0, 4_096);
  return { ...(remote !== '' && { remote }), ...(branch && { branch }) };
}

/** People keep tokens in addresses of remotes. */
function withoutSecret(url: string): string {
  return url.replace(/^([a-z][a-z+.-]*:\/\/)[^/@]*@/i, '$1');
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
