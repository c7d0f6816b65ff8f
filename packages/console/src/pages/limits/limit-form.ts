import type { limit } from '@floe/contract/api/guardrails';
import type * as z from 'zod';
import type { ResourceKind } from '../../data/resource-kind.ts';
import { count } from '../../format/amounts.ts';
import { fieldText, typedNumber } from '../../format/numbers-typed.ts';
import { allOf, capital, counted } from '../../format/words.ts';
import {
  EMPTY_SUBJECT,
  type SubjectForm,
  subjectBody,
  subjectForm,
  subjectText,
  typedSubject,
} from './subject.ts';

export type Limit = z.output<typeof limit>;

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
    rpm: fieldText(limit.rpm),
    tpm: fieldText(limit.tpm),
    concurrency: fieldText(limit.concurrency),
  };
}

export function limitBody(form: LimitForm) {
  return {
    ...subjectBody(form),
    name: form.name.trim() || null,
    rpm: typedNumber(form.rpm),
    tpm: typedNumber(form.tpm),
    concurrency: typedNumber(form.concurrency),
  };
}

/** Limits, as their drawer and list handle them. */
export const LIMITS: ResourceKind<Limit, LimitForm> = {
  one: 'limit',
  path: 'api/management/limits',
  touches: [['limits']],
  needs: 'management',
  formOf: limitForm,
  bodyOf: limitBody,
  removal: (limit) => ({
    title: 'Delete this limit?',
    effect: `${capital(subjectText(limit))} may then send as fast as other limits and the providers allow.`,
  }),
};

/** What the limit will do, in a sentence; null while it says nothing yet. */
export function limitSentence(form: LimitForm): string | null {
  const [rpm, tpm, concurrency] = [form.rpm, form.tpm, form.concurrency].map(typedNumber);
  const bounds = [
    typeof rpm === 'number' && `${counted(rpm, 'request')} in any 60 seconds`,
    typeof tpm === 'number' && `${count(tpm)} tokens in any 60 seconds`,
    typeof concurrency === 'number' && `${count(concurrency)} at the same time`,
  ].filter((bound) => bound !== false);
  if (bounds.length === 0) return null;
  const where = form.model.trim() === '' ? '' : ` to ${form.model.trim()}`;
  return `${capital(typedSubject(form))} may send ${allOf(bounds)}${where}; what is beyond gets 429 with Retry-After.`;
}
