import type { PlatformKey } from '@floe/contract/api/keys';
import type { LIMIT_SUBJECT_KINDS } from '@floe/contract/config/limits-cache-policies';
import { limitsText } from './text.ts';

/** What a limit or budget can apply to: the organization, a team, a key, an owner or an end user. */
export type LimitSubjectKind = (typeof LIMIT_SUBJECT_KINDS)[number];

/**
 * Which requests a limit or budget counts together. `scope:key` counts the requests of one key; `per:key` counts the
 * requests of each key separately.
 */
export type LimitSubjectOption = `${'scope' | 'per'}:${LimitSubjectKind}`;

/**
 * The form values that determine which requests a limit or budget counts, and how it is enforced while the shared store
 * is unavailable.
 */
export interface LimitSubjectFormValues {
  readonly subject: LimitSubjectOption;
  /** Name of the subject. Empty for the organization and for `per:` options. */
  readonly subjectName: string;
  readonly model: string;
  readonly on_store_error: 'local' | 'open' | 'closed';
}

/**
 * The API fields that determine which requests a limit or budget counts, and how it is enforced while the
 * shared store is unavailable.
 */
export interface LimitSubjectFields {
  readonly scope: LimitSubjectKind | null;
  readonly per: LimitSubjectKind | null;
  readonly team: string | null;
  readonly key: string | null;
  readonly owner: string | null;
  readonly end_user: string | null;
  readonly model: string | null;
  readonly on_store_error: 'local' | 'open' | 'closed';
}

/** Returns whether the form has the subject and the model of the saved limit. */
export function hasSavedSubject(limit: LimitSubjectFields, form: LimitSubjectFormValues): boolean {
  const saved = toLimitSubjectFormValues(limit);
  return (['subject', 'subjectName', 'model'] as const).every((name) => form[name].trim() === saved[name]);
}

const NAMES: Readonly<Record<LimitSubjectKind, string>> = limitsText.subject.names;
const OPTIONS = limitsText.subject.options;

/**
 * The subjects that the form offers, with their labels. A limit or budget counts the requests of all subjects
 * together or of each one separately.
 */
export const LIMIT_SUBJECT_OPTIONS: readonly {
  readonly value: LimitSubjectOption;
  readonly label: string;
}[] = [
  { value: 'scope:org', label: OPTIONS['scope:org'] },
  { value: 'scope:key', label: OPTIONS['scope:key'] },
  { value: 'scope:team', label: OPTIONS['scope:team'] },
  { value: 'scope:owner', label: OPTIONS['scope:owner'] },
  { value: 'scope:end_user', label: OPTIONS['scope:end_user'] },
  { value: 'per:key', label: OPTIONS['per:key'] },
  { value: 'per:team', label: OPTIONS['per:team'] },
  { value: 'per:owner', label: OPTIONS['per:owner'] },
  { value: 'per:end_user', label: OPTIONS['per:end_user'] },
];

/** The choices for how Floe handles a limit or budget while the shared store is unavailable, with labels. */
export const STORE_ERROR_OPTIONS = [
  { value: 'local', label: limitsText.storeError.options.local },
  { value: 'open', label: limitsText.storeError.options.open },
  { value: 'closed', label: limitsText.storeError.options.closed },
] as const;

/** Describes the subject of a limit or budget, such as `key ci`, `each team` or `the organization`. */
export function describeLimitSubject(rule: LimitSubjectFields): string {
  if (rule.per) return rule.per === 'org' ? NAMES.org : limitsText.subject.each(NAMES[rule.per]);
  const kind = rule.scope ?? 'org';
  return kind === 'org' ? NAMES.org : `${NAMES[kind]} ${rule[kind] ?? '?'}`;
}

/** Describes the subject that is selected in the form, such as `key ci`. */
export function describeFormLimitSubject({ subject, subjectName }: LimitSubjectFormValues): string {
  const [how, kind] = parts(subject);
  if (how === 'per') return limitsText.subject.each(NAMES[kind]);
  return kind === 'org' ? NAMES.org : `${NAMES[kind]} ${subjectName || '…'}`;
}

/** Converts the subject of a limit or budget to form values. */
export function toLimitSubjectFormValues(rule: LimitSubjectFields): LimitSubjectFormValues {
  const kind = rule.scope ?? rule.per ?? 'org';
  return {
    subject: `${rule.scope ? 'scope' : 'per'}:${kind}`,
    subjectName: rule.scope && rule.scope !== 'org' ? (rule[rule.scope] ?? '') : '',
    model: rule.model ?? '',
    on_store_error: rule.on_store_error,
  };
}

/** The initial form values: the whole organization and all models. */
export const DEFAULT_LIMIT_SUBJECT_FORM: LimitSubjectFormValues = {
  subject: 'scope:org',
  subjectName: '',
  model: '',
  on_store_error: 'local',
};

/**
 * Converts the form to API fields. Fields that do not apply are set to null, so that the server clears them.
 */
export function toLimitSubjectBody({
  subject,
  subjectName,
  model,
  on_store_error,
}: LimitSubjectFormValues): Record<string, string | null> {
  const [how, kind] = parts(subject);
  const named = (one: LimitSubjectKind) =>
    how === 'scope' && kind === one && subjectName.trim() !== '' ? subjectName.trim() : null;
  return {
    scope: how === 'scope' ? kind : null,
    per: how === 'per' ? kind : null,
    team: named('team'),
    key: named('key'),
    owner: named('owner'),
    end_user: named('end_user'),
    model: model.trim() || null,
    on_store_error,
  };
}

/** Returns the API field that contains the name of the subject, or null if the option needs no name. */
export function getLimitSubjectNameField(
  subject: LimitSubjectOption,
): Exclude<LimitSubjectKind, 'org'> | null {
  const [how, kind] = parts(subject);
  return how === 'scope' && kind !== 'org' ? kind : null;
}

/** Returns the option if it is valid, otherwise `scope:org`. */
export function parseLimitSubjectOption(option: string): LimitSubjectOption {
  return LIMIT_SUBJECT_OPTIONS.find(({ value }) => value === option)?.value ?? 'scope:org';
}

function parts(subject: LimitSubjectOption): readonly ['scope' | 'per', LimitSubjectKind] {
  const kind = (['org', 'team', 'key', 'owner', 'end_user'] as const).find((one) =>
    subject.endsWith(`:${one}`),
  );
  return [subject.startsWith('per') ? 'per' : 'scope', kind ?? 'org'];
}

/** Returns the ID of the key with this name. If several keys have the name, prefers an active one. */
export function findKeyIdByName(
  keys: readonly Pick<PlatformKey, 'id' | 'name' | 'status'>[],
  name: string | null,
) {
  const named = keys.filter((key) => key.name === name);
  return (named.find(({ status }) => status === 'active') ?? named[0])?.id;
}
