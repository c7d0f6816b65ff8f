import { compileWildcards } from '@floe/conditions/wildcards';
import type { RelayEvent } from '@floe/contract/api/relay';

/** The platform key of the caller, and the team and the owner of this key. */
export interface CallerIdentity {
  readonly key: string;
  readonly team: string | null;
  readonly owner: string | null;
}

/** The fields of a rule that restrict callers. An absent field matches every caller. */
export interface CallerPattern {
  readonly keys?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
  readonly owners?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly repositories?: readonly string[] | undefined;
  readonly branches?: readonly string[] | undefined;
}

/** Returns whether a rule applies to an event's caller. */
export type CallerMatcher = (event: RelayEvent, identity: CallerIdentity) => boolean;

/**
 * Returns a matcher for a caller pattern. Without a pattern, it matches every caller. A pattern for a field
 * does not match a caller without this field.
 */
export function compileCallerPattern(pattern: CallerPattern | undefined): CallerMatcher {
  if (pattern === undefined) return () => true;
  const { keys, teams, owners, agents, repositories, branches } = pattern;
  const parts: CallerMatcher[] = [];
  const add = (
    patterns: readonly string[] | undefined,
    of: (event: RelayEvent, who: CallerIdentity) => string | null | undefined,
  ) => {
    if (!patterns) return;
    const like = compileWildcards(patterns);
    parts.push((event, who) => {
      const text = of(event, who);
      return text != null && like(text);
    });
  };
  add(keys, (_, who) => who.key);
  add(teams, (_, who) => who.team);
  add(owners, (_, who) => who.owner);
  add(agents, ({ agent }) => agent.name);
  add(repositories, ({ repository }) => repository?.remote && normalizeRepositoryName(repository.remote));
  add(branches, ({ repository }) => repository?.branch);
  return (event, who) => parts.every((part) => part(event, who));
}

/**
 * Converts the URL of a Git remote to a repository name such as `github.com/acme/app`. HTTPS and SSH URLs of
 * the same repository have the same name.
 */
export function normalizeRepositoryName(remote: string): string {
  return remote
    .trim()
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/(?:\.git)?\/*$/, '')
    .toLowerCase();
}
