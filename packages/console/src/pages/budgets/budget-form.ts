import type { budget } from '@floe/contract/api/guardrails';
import type * as z from 'zod';
import { money } from '../../format/amounts.ts';
import { fieldText, typedNumber } from '../../format/numbers-typed.ts';
import {
  EMPTY_SUBJECT,
  type SubjectForm,
  subjectBody,
  subjectForm,
  typedSubject,
} from '../limits/subject.ts';

export type Budget = z.output<typeof budget>;

export interface BudgetForm extends SubjectForm {
  readonly name: string;
  readonly limit_usd: string;
  readonly period: Budget['period'];
  readonly mode: Budget['mode'];
  /** `team=growth` by line. */
  readonly metadata: string;
}

export const EMPTY_BUDGET: BudgetForm = {
  ...EMPTY_SUBJECT,
  name: '',
  limit_usd: '',
  period: 'month',
  mode: 'hard',
  metadata: '',
};

export const PERIODS = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Calendar month' },
  { value: 'total', label: 'Never: one sum for good' },
] as const;

export function budgetForm(budget: Budget): BudgetForm {
  return {
    ...subjectForm(budget),
    name: budget.name,
    limit_usd: fieldText(budget.limit_usd),
    period: budget.period,
    mode: budget.mode,
    metadata: Object.entries(budget.metadata)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  };
}

export function budgetBody(form: BudgetForm) {
  return {
    ...subjectBody(form),
    name: form.name.trim() || null,
    limit_usd: typedNumber(form.limit_usd),
    period: form.period,
    mode: form.mode,
    metadata: pairs(form.metadata),
  };
}

function pairs(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split('=');
      return [name.trim(), rest.join('=').trim()];
    }),
  );
}

const IN = { day: 'in a day', week: 'in a week', month: 'in a calendar month', total: 'in all' } as const;

/** What the budget will do, in a sentence; null while it says nothing yet. */
export function budgetSentence(form: BudgetForm): string | null {
  const usd = typedNumber(form.limit_usd);
  if (typeof usd !== 'number' || usd <= 0) return null;
  const whose = `requests of ${typedSubject(form)}${form.model.trim() === '' ? '' : ` to ${form.model.trim()}`}`;
  const sum = `${money(Math.round(usd * 1e9))} ${IN[form.period]}`;
  return form.mode === 'hard'
    ? `The next ${whose} are refused with 402 once ${sum} are spent. What is under way is finished.`
    : `${whose.charAt(0).toUpperCase()}${whose.slice(1)} go on beyond ${sum}; alerts are sent.`;
}

/** Where spending leads by the end of the period: within the limit, or the share of it that is over. */
export function forecastOf(budget: Budget): { readonly text: string; readonly isOver: boolean } | null {
  const forecast = budget.state?.forecast_nano_usd ?? null;
  if (forecast === null) return null;
  return { text: money(forecast), isOver: forecast > budget.limit_usd * 1e9 };
}
