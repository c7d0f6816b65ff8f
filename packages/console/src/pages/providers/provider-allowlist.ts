import { matchesModelPattern } from '../../data/model-pattern.ts';
import { formatCount } from '../../format/amounts.ts';
import { providersText } from './text.ts';

/** Maximum number of models that the description names. */
const MOST_NAMED = 12;

/**
 * Describes which models the typed allowlist matches. The API lists only the models that the saved allowlist
 * matches, so new patterns can match further models. An empty allowlist is saved as the default, which allows every
 * model.
 * @param listed The models that the saved allowlist matches.
 * @param isComplete Whether `listed` contains all of them.
 */
export function describeAllowlist(
  allowlist: readonly string[],
  saved: readonly string[],
  { listed, isComplete }: { readonly listed: readonly string[]; readonly isComplete: boolean },
): string {
  const { models: text } = providersText;
  const typed = allowlist.length === 0 ? ['*'] : allowlist;
  const matched = listed.filter((model) => typed.some((pattern) => matchesModelPattern(pattern, model)));
  const names = matched.slice(0, MOST_NAMED).join(', ');
  const canMatchMore =
    !isComplete || (!saved.includes('*') && typed.some((pattern) => !saved.includes(pattern)));
  return [
    text.matches(formatCount(matched.length), formatCount(listed.length)),
    matched.length > 0 ? text.list(names, matched.length > MOST_NAMED) : text.end,
    canMatchMore ? ` ${text.more}` : '',
  ].join('');
}
