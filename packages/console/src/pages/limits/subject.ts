import type { PlatformKey } from '@floe/contract/api/keys';
import type { LIMIT_SUBJECTS } from '@floe/contract/config/guardrails';

export type SubjectKind = (typeof LIMIT_SUBJECTS)[number];

/** What a rule counts: `scope:key` is one key, `per:key` each key by itself. */
export type SubjectChoice = `${'scope' | 'per'}:${SubjectKind}`;

/** The part of a rule that says whom it is about, as a form holds it. */
export interface SubjectForm {
  readonly subject: SubjectChoice;
  /** The name of the one subject; empty for the org and for `per`. */
  readonly who: string;
  readonly model: string;
  readonly on_store_error: 'local' | 'open' | 'closed';
}

/** The part of a limit or budget that says whom it is about. */
export interface Subject {
  readonly scope: SubjectKind | null;
  readonly per: SubjectKind | null;
  readonly team: string | null;
  readonly key: string | null;
  readonly owner: string | null;
  readonly end_user: string | null;
  readonly model: string | null;
  readonly on_store_error: 'local' | 'open' | 'closed';
}

const WORDS: Readonly<Record<SubjectKind, string>> = {
  org: 'the org',
  team: 'team',
  key: 'key',
  owner: 'owner',
  end_user: 'end user',
};

export const SUBJECT_CHOICES: readonly { readonly value: SubjectChoice; readonly label: string }[] = [
  { value: 'scope:org', label: 'The whole org together' },
  { value: 'scope:key', label: 'One key' },
  { value: 'scope:team', label: 'One team' },
  { value: 'scope:owner', label: 'One owner' },
  { value: 'scope:end_user', label: 'One end user' },
  { value: 'per:key', label: 'Each key by itself' },
  { value: 'per:team', label: 'Each team by itself' },
  { value: 'per:owner', label: 'Each owner by itself' },
  { value: 'per:end_user', label: 'Each end user by itself' },
];

export const AWAY_CHOICES = [
  { value: 'local', label: 'Each process counts its share' },
  { value: 'open', label: 'Let requests through' },
  { value: 'closed', label: 'Refuse with 503' },
] as const;

/** `key ci`, `each team`, `the org` */
export function subjectText(rule: Subject): string {
  if (rule.per) return rule.per === 'org' ? WORDS.org : `each ${WORDS[rule.per]}`;
  const kind = rule.scope ?? 'org';
  return kind === 'org' ? WORDS.org : `${WORDS[kind]} ${rule[kind] ?? '?'}`;
}

/** The same for what is being typed. */
export function typedSubject({ subject, who }: SubjectForm): string {
  const [how, kind] = parts(subject);
  if (how === 'per') return `each ${WORDS[kind]}`;
  return kind === 'org' ? WORDS.org : `${WORDS[kind]} ${who || '…'}`;
}

export function subjectForm(rule: Subject): SubjectForm {
  const kind = rule.scope ?? rule.per ?? 'org';
  return {
    subject: `${rule.scope ? 'scope' : 'per'}:${kind}`,
    who: rule.scope && rule.scope !== 'org' ? (rule[rule.scope] ?? '') : '',
    model: rule.model ?? '',
    on_store_error: rule.on_store_error,
  };
}

export const EMPTY_SUBJECT: SubjectForm = {
  subject: 'scope:org',
  who: '',
  model: '',
  on_store_error: 'local',
};

/** What the API is sent for it; what does not apply is null, which clears it. */
export function subjectBody({
  subject,
  who,
  model,
  on_store_error,
}: SubjectForm): Record<string, string | null> {
  const [how, kind] = parts(subject);
  const named = (one: SubjectKind) =>
    how === 'scope' && kind === one && who.trim() !== '' ? who.trim() : null;
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

/** The kind of name that has to be given beside the choice; null when there is none. */
export function namedKind(subject: SubjectChoice): Exclude<SubjectKind, 'org'> | null {
  const [how, kind] = parts(subject);
  return how === 'scope' && kind !== 'org' ? kind : null;
}

export function subjectChoice(text: string): SubjectChoice {
  return SUBJECT_CHOICES.find(({ value }) => value === text)?.value ?? 'scope:org';
}

function parts(subject: SubjectChoice): readonly ['scope' | 'per', SubjectKind] {
  const kind = (['org', 'team', 'key', 'owner', 'end_user'] as const).find((one) =>
    subject.endsWith(`:${one}`),
  );
  return [subject.startsWith('per') ? 'per' : 'scope', kind ?? 'org'];
}

/** The id of the key that a rule means by its name: of several it is the one that works. */
export function keyNamed(keys: readonly Pick<PlatformKey, 'id' | 'name' | 'status'>[], name: string | null) {
  const named = keys.filter((key) => key.name === name);
  return (named.find(({ status }) => status === 'active') ?? named[0])?.id;
}
