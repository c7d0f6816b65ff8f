import type { budgetResource } from '@floe/contract/api/guardrails';
import type * as z from 'zod';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { formatMoney } from '../../format/amounts.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { browserZone, formatDayLabel, formatShortTime } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import {
  EMPTY_SUBJECT,
  type SubjectForm,
  subjectBody,
  subjectForm,
  subjectText,
  typedSubject,
} from '../limits/subject.ts';

export type Budget = z.output<typeof budgetResource>;

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
    limit_usd: formatNumberField(budget.limit_usd),
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
    limit_usd: parseNumberField(form.limit_usd),
    period: form.period,
    mode: form.mode,
    metadata: pairs(form.metadata),
  };
}

/** Budgets, as their drawer and list handle them. */
export const BUDGETS: ConsoleResourceKind<Budget, BudgetForm> = {
  one: 'budget',
  path: 'api/management/budgets',
  touches: [['budgets']],
  needs: 'management',
  formOf: budgetForm,
  bodyOf: budgetBody,
  removal: (budget) => ({
    title: `Delete budget ${budget.name}?`,
    effect: `${capitalize(subjectText(budget))} may then spend without this bound. What was spent stays counted.`,
  }),
};

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
  const usd = parseNumberField(form.limit_usd);
  if (typeof usd !== 'number' || usd <= 0) return null;
  const whose = `requests of ${typedSubject(form)}${form.model.trim() === '' ? '' : ` to ${form.model.trim()}`}`;
  const sum = `${formatMoney(Math.round(usd * 1e9))} ${IN[form.period]}`;
  return form.mode === 'hard'
    ? `The next ${whose} are refused with 402 once ${sum} are spent. What is under way is finished.`
    : `${capitalize(whose)} go on beyond ${sum}; alerts are sent.`;
}

/** Where spending leads, in a few words for the list and in a sentence that says how it was reckoned. */
export interface ForecastWords {
  readonly text: string;
  readonly isOver: boolean;
  readonly how: string;
}

const LINE =
  'The forecast is a straight line: what was spent so far in this period, drawn on to its end. It knows no weekends and no trend.';

/** @param now for the words about moments that are past */
export function forecastOf({ state, limit_usd }: Budget, now = new Date()): ForecastWords {
  const zone = browserZone();
  if (!state)
    return { text: '–', isOver: false, how: 'Each has a sum of its own: there is no one forecast.' };
  const { forecast_nano_usd: forecast, exhausted_at, resets_at, spent_nano_usd } = state;
  const when = (at: string) => {
    const text = formatDayLabel(new Date(at), zone, now);
    const isNear = Math.abs(Date.parse(at) - now.getTime()) < 36 * 3_600_000;
    return isNear ? `${text}, ${formatShortTime(new Date(at), zone)}` : text;
  };
  const anew = resets_at === null ? null : when(resets_at);
  if (spent_nano_usd >= limit_usd * 1e9)
    return {
      text: 'used up',
      isOver: true,
      how: anew === null ? 'It is used up, and it never starts anew.' : `It is used up until ${anew}.`,
    };
  if (resets_at === null) return { text: '–', isOver: false, how: 'Without an end there is no forecast.' };
  if (forecast === null)
    return { text: 'too early', isOver: false, how: 'This period has only begun: too early for a forecast.' };
  if (exhausted_at !== null && forecast > limit_usd * 1e9)
    return { text: `full ${when(exhausted_at)}`, isOver: true, how: LINE };
  return { text: `${formatMoney(forecast)} by ${anew}`, isOver: false, how: LINE };
}
