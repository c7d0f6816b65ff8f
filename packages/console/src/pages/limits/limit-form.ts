import type { limitResource } from '@floe/contract/api/limits-and-budgets';
import type * as z from 'zod';
import { ApiError } from '../../data/api-error.ts';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { formatCount } from '../../format/amounts.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { capitalize, formatCountWithNoun, joinWithAnd } from '../../format/words.ts';
import {
  DEFAULT_LIMIT_SUBJECT_FORM,
  describeFormLimitSubject,
  describeLimitSubject,
  type LimitSubjectFormValues,
  toLimitSubjectBody,
  toLimitSubjectFormValues,
} from './limit-subject.ts';
import { limitsText } from './text.ts';

/** A limit as the API returns it, with its current usage. */
export type Limit = z.output<typeof limitResource>;

/** The form values of a limit. */
export interface LimitFormValues extends LimitSubjectFormValues {
  readonly name: string;
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
}

/** The initial form values of a new limit. */
export const NEW_LIMIT_FORM: LimitFormValues = {
  ...DEFAULT_LIMIT_SUBJECT_FORM,
  name: '',
  rpm: '',
  tpm: '',
  concurrency: '',
};

/** Converts a limit to form values. */
export function toLimitFormValues(limit: Limit): LimitFormValues {
  return {
    ...toLimitSubjectFormValues(limit),
    name: limit.name ?? '',
    rpm: formatNumberField(limit.rpm),
    tpm: formatNumberField(limit.tpm),
    concurrency: formatNumberField(limit.concurrency),
  };
}

/**
 * Converts the form to the request body.
 * @throws ApiError if the limit has no maximum
 */
export function toLimitBody(form: LimitFormValues) {
  if ([form.rpm, form.tpm, form.concurrency].every((bound) => bound.trim() === ''))
    throw new ApiError({ status: 0, code: 'invalid', message: limitsText.fields.noBounds });
  return {
    ...toLimitSubjectBody(form),
    name: form.name.trim() || null,
    rpm: parseNumberField(form.rpm),
    tpm: parseNumberField(form.tpm),
    concurrency: parseNumberField(form.concurrency),
  };
}

/** The resource kind of limits. The list and the drawer use it. */
export const LIMIT_RESOURCE_KIND: ConsoleResourceKind<Limit, LimitFormValues> = {
  one: limitsText.page.one,
  path: 'api/management/limits',
  touches: [['limits']],
  needs: 'management',
  formOf: toLimitFormValues,
  bodyOf: toLimitBody,
  removal: (limit) => ({
    title: limitsText.removal.title(limit.name ?? describeLimitSubject(limit)),
    effect: limitsText.removal.effect(describeLimitSubject(limit)),
  }),
};

/** Describes in a sentence what the limit will do. Returns null until a number is entered. */
export function describeLimit(form: LimitFormValues): string | null {
  const [rpm, tpm, concurrency] = [form.rpm, form.tpm, form.concurrency].map(parseNumberField);
  const bounds = [
    typeof rpm === 'number' && limitsText.sentence.requests(formatCountWithNoun(rpm, 'request')),
    typeof tpm === 'number' && limitsText.sentence.tokens(formatCount(tpm)),
    typeof concurrency === 'number' && limitsText.sentence.concurrency(formatCount(concurrency)),
  ].filter((bound) => bound !== false);
  if (bounds.length === 0) return null;
  const model = form.model.trim();
  const toModel = model === '' ? '' : limitsText.sentence.toModel(model);
  return limitsText.sentence.whole(capitalize(describeFormLimitSubject(form)), joinWithAnd(bounds), toModel);
}
