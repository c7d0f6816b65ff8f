import type { limitResource } from '@floe/contract/api/guardrails';
import type * as z from 'zod';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { formatCount } from '../../format/amounts.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { capitalize, joinWithAnd, pluralize } from '../../format/words.ts';
import {
  EMPTY_SUBJECT,
  type SubjectForm,
  subjectBody,
  subjectForm,
  subjectText,
  typedSubject,
} from './subject.ts';

export type Limit = z.output<typeof limitResource>;

export interface LimitForm extends SubjectForm {
  readonly name: string;
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
}

export const EMPTY_LIMIT: LimitForm = { ...EMPTY_SUBJECT, name: '', rpm: '', tpm: '', concurrency: '' };

export function limitForm(limit: Limit): LimitForm {
  return {
    ...subjectForm(limit),
    name: limit.name ?? '',
    rpm: formatNumberField(limit.rpm),
    tpm: formatNumberField(limit.tpm),
    concurrency: formatNumberField(limit.concurrency),
  };
}

export function limitBody(form: LimitForm) {
  return {
    ...subjectBody(form),
    name: form.name.trim() || null,
    rpm: parseNumberField(form.rpm),
    tpm: parseNumberField(form.tpm),
    concurrency: parseNumberField(form.concurrency),
  };
}

/** Limits, as their drawer and list handle them. */
export const LIMITS: ConsoleResourceKind<Limit, LimitForm> = {
  one: 'limit',
  path: 'api/management/limits',
  touches: [['limits']],
  needs: 'management',
  formOf: limitForm,
  bodyOf: limitBody,
  removal: (limit) => ({
    title: 'Delete this limit?',
    effect: `${capitalize(subjectText(limit))} may then send as fast as other limits and the providers allow.`,
  }),
};

/** What the limit will do, in a sentence; null while it says nothing yet. */
export function limitSentence(form: LimitForm): string | null {
  const [rpm, tpm, concurrency] = [form.rpm, form.tpm, form.concurrency].map(parseNumberField);
  const bounds = [
    typeof rpm === 'number' && `${pluralize(rpm, 'request')} in any 60 seconds`,
    typeof tpm === 'number' && `${formatCount(tpm)} tokens in any 60 seconds`,
    typeof concurrency === 'number' && `${formatCount(concurrency)} at the same time`,
  ].filter((bound) => bound !== false);
  if (bounds.length === 0) return null;
  const where = form.model.trim() === '' ? '' : ` to ${form.model.trim()}`;
  return `${capitalize(typedSubject(form))} may send ${joinWithAnd(bounds)}${where}; what is beyond gets 429 with Retry-After.`;
}
