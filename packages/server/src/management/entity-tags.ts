import { createHash } from 'node:crypto';
import { Fault } from '@floe/contract/faults';

/** The conditional headers of a request (RFC 9110, 13.1). */
export interface Preconditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/**
 * Computes a response's strong entity tag from its content. If the response has volatile fields
 * (such as a status or a limit's usage), the tag has two parts: one for the settings and one for
 * the whole content. `If-Match` compares only the first part, so that a beat does not prevent an
 * edit.
 */
export function computeEntityTag(answer: unknown, volatileFields: readonly string[]): string {
  const whole = hashJson(answer);
  return volatileFields.length === 0
    ? `"${whole}"`
    : `"${hashJson(omitFields(answer, volatileFields))}.${whole}"`;
}

/** Returns whether `If-None-Match` contains the tag of the current content. */
export function matchesIfNoneMatch(tag: string, { ifNoneMatch }: Preconditions): boolean {
  return (
    ifNoneMatch !== undefined &&
    (ifNoneMatch.trim() === '*' || parseEntityTags(ifNoneMatch, true).includes(tag))
  );
}

/**
 * Checks `If-Match` and `If-None-Match: *` against the current tag. `tag` is null if the resource
 * does not exist.
 *
 * @throws Fault `precondition_failed`
 */
export function requirePreconditions(tag: string | null, { ifMatch, ifNoneMatch }: Preconditions): void {
  if (ifNoneMatch?.trim() === '*' && tag !== null)
    throw new Fault(
      'precondition_failed',
      'The resource already exists, but If-None-Match: * requires that it does not exist.',
    );
  if (ifMatch === undefined) return;
  const isMet =
    tag !== null &&
    (ifMatch.trim() === '*' || parseEntityTags(ifMatch, false).some((one) => haveSameSettings(one, tag)));
  if (!isMet)
    throw new Fault(
      'precondition_failed',
      tag === null
        ? 'The resource does not exist, but If-Match requires an existing resource.'
        : 'The resource has changed since you read it. Read it again and repeat the change.',
    );
}

function haveSameSettings(one: string, other: string): boolean {
  return settingsPart(one) === settingsPart(other);
}

function settingsPart(tag: string): string {
  return tag.slice(1, -1).split('.', 1)[0] ?? '';
}

/** Parses the tags of a header. Weak tags are included only for weak comparison. */
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

/** Removes the fields with these names. `credentials.test` names a field in each entry of a list. */
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
