import { createHash } from 'node:crypto';
import { Fault } from '@floe/contract/faults';

/** What a request asks of the version that it meets (RFC 9110, 13.1). */
export interface Preconditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/**
 * The strong entity tag of an answer, from its content. Where fields live (a status, what is used of a limit), the
 * tag has two parts: what was set, and everything. `If-Match` looks at the first alone, so that a beat in
 * between does not spoil an edit.
 */
export function computeEntityTag(answer: unknown, volatileFields: readonly string[]): string {
  const whole = hashJson(answer);
  return volatileFields.length === 0
    ? `"${whole}"`
    : `"${hashJson(omitFields(answer, volatileFields))}.${whole}"`;
}

/** Whether a client that sent `If-None-Match` has this very content. */
export function matchesIfNoneMatch(tag: string, { ifNoneMatch }: Preconditions): boolean {
  return (
    ifNoneMatch !== undefined &&
    (ifNoneMatch.trim() === '*' || parseEntityTags(ifNoneMatch, true).includes(tag))
  );
}

/**
 * Holds `If-Match`, and `If-None-Match: *`, against what is there; `tag` is null when nothing is.
 *
 * @throws Fault `precondition_failed`
 */
export function requirePreconditions(tag: string | null, { ifMatch, ifNoneMatch }: Preconditions): void {
  if (ifNoneMatch?.trim() === '*' && tag !== null)
    throw new Fault(
      'precondition_failed',
      'The resource already exists, and If-None-Match: * requires that it does not.',
    );
  if (ifMatch === undefined) return;
  const isMet =
    tag !== null &&
    (ifMatch.trim() === '*' || parseEntityTags(ifMatch, false).some((one) => haveSameSettings(one, tag)));
  if (!isMet)
    throw new Fault(
      'precondition_failed',
      tag === null
        ? 'The resource does not exist, and If-Match requires an existing version.'
        : 'The resource has changed since you read it. Read it again and repeat the change.',
    );
}

function haveSameSettings(one: string, other: string): boolean {
  return settingsPart(one) === settingsPart(other);
}

function settingsPart(tag: string): string {
  return tag.slice(1, -1).split('.', 1)[0] ?? '';
}

/** The tags of a header; weak ones only where a weak comparison is meant. */
function parseEntityTags(header: string, includeWeak: boolean): string[] {
  const found = header.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g);
  return [...found].flatMap(([, weak, tag = '']) => (weak === undefined || includeWeak ? [tag] : []));
}

function hashJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url')
    .slice(0, 22);
}

/** Without the fields of these names; `credentials.test` is that of each entry of a list. */
function omitFields(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => omitFields(entry, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (names.includes(name)) return [];
      const below = names.flatMap((one) => (one.startsWith(`${name}.`) ? [one.slice(name.length + 1)] : []));
      return [[name, below.length > 0 ? omitFields(inner, below) : inner]];
    }),
  );
}
