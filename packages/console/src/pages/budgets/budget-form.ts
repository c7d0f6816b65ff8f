import type { budgetResource } from '@floe/contract/api/limits-and-budgets';
import type * as z from 'zod';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { formatMoney } from '../../format/amounts.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { formatShortDate, formatShortTime, getBrowserTimeZone } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import {
  DEFAULT_LIMIT_SUBJECT_FORM,
  describeFormLimitSubject,
  describeLimitSubject,
  type LimitSubjectFormValues,
  toLimitSubjectBody,
  toLimitSubjectFormValues,
} from '../limits/limit-subject.ts';
import { formatBudgetMetadata, parseBudgetMetadata } from './budget-metadata.ts';
import { budgetsText } from './text.ts';

/** A budget as the API returns it, with its current spending. */
export type Budget = z.output<typeof budgetResource>;

/** The form values of a budget. */
export interface BudgetFormValues extends LimitSubjectFormValues {
  readonly name: string;
  readonly limit_usd: string;
  readonly period: Budget['period'];
  readonly mode: Budget['mode'];
  /** Metadata filters such as `team=growth`, one per line. */
  readonly metadata: string;
}

/** The initial form values of a new budget. */
export const NEW_BUDGET_FORM: BudgetFormValues = {
  ...DEFAULT_LIMIT_SUBJECT_FORM,
  name: '',
  limit_usd: '',
  period: 'month',
  mode: 'hard',
  metadata: '',
};

/** The periods that the form offers, with their labels. */
export const BUDGET_PERIODS = [
  { value: 'day', label: budgetsText.fields.periods.day },
  { value: 'week', label: budgetsText.fields.periods.week },
  { value: 'month', label: budgetsText.fields.periods.month },
  { value: 'total', label: budgetsText.fields.periods.total },
] as const;

/** Converts a budget to form values. */
export function toBudgetFormValues(budget: Budget): BudgetFormValues {
  return {
    ...toLimitSubjectFormValues(budget),
    name: budget.name,
    limit_usd: formatNumberField(budget.limit_usd),
    period: budget.period,
    mode: budget.mode,
    metadata: formatBudgetMetadata(budget.metadata),
  };
}

/** Converts the form to the request body. @throws ApiError if the metadata is invalid */
export function toBudgetBody(form: BudgetFormValues) {
  return {
    ...toLimitSubjectBody(form),
    name: form.name.trim() || null,
    limit_usd: parseNumberField(form.limit_usd),
    period: form.period,
    mode: form.mode,
    metadata: parseBudgetMetadata(form.metadata),
  };
}

/** The resource kind of budgets. The list and the drawer use it. */
export const BUDGET_RESOURCE_KIND: ConsoleResourceKind<Budget, BudgetFormValues> = {
  one: budgetsText.page.one,
  path: 'api/management/budgets',
  touches: [['budgets']],
  needs: 'management',
  formOf: toBudgetFormValues,
  bodyOf: toBudgetBody,
  removal: (budget) => ({
    title: budgetsText.removal.title(budget.name),
    effect: budgetsText.removal.effect(describeLimitSubject(budget)),
  }),
};

/** Describes in a sentence what the budget will do. Returns null until a limit is entered. */
export function describeBudget(form: BudgetFormValues): string | null {
  const usd = parseNumberField(form.limit_usd);
  if (typeof usd !== 'number' || usd <= 0) return null;
  const requests = budgetsText.sentence.subject(describeFormLimitSubject(form), form.model.trim());
  const limit = formatMoney(Math.round(usd * 1e9));
  const period = budgetsText.sentence.periods[form.period];
  return form.mode === 'hard'
    ? budgetsText.sentence.hard(requests, limit, period)
    : budgetsText.sentence.soft(capitalize(requests), limit, period);
}

/**
 * The display text of a forecast: a short text for the list, and a sentence that explains how the forecast
 * was computed.
 */
export interface ForecastText {
  readonly summary: string;
  readonly isOver: boolean;
  readonly explanation: string;
}

/**
 * Describes the spending forecast of a budget.
 * @param now The time to which dates are relative.
 */
export function describeForecast({ state, limit_usd }: Budget, now = new Date()): ForecastText {
  const zone = getBrowserTimeZone();
  const words = budgetsText.forecast;
  if (!state) return { summary: words.none, isOver: false, explanation: words.separate };
  const { forecast_nano_usd: forecast, exhausted_at, resets_at, spent_nano_usd } = state;
  const when = (at: string) => {
    const day = formatShortDate(new Date(at), zone, now);
    const isNear = Math.abs(Date.parse(at) - now.getTime()) < 36 * 3_600_000;
    return isNear ? `${day}, ${formatShortTime(new Date(at), zone)}` : day;
  };
  const resets = resets_at === null ? null : when(resets_at);
  if (spent_nano_usd >= limit_usd * 1e9)
    return {
      summary: words.usedUp,
      isOver: true,
      explanation: resets === null ? words.usedUpForever : words.usedUpUntil(resets),
    };
  if (resets === null) return { summary: words.none, isOver: false, explanation: words.noEnd };
  if (forecast === null) return { summary: words.tooEarly, isOver: false, explanation: words.justStarted };
  if (exhausted_at !== null && forecast > limit_usd * 1e9)
    return { summary: words.usedUpBy(when(exhausted_at)), isOver: true, explanation: words.linear };
  return {
    summary: words.byDate(formatMoney(forecast), formatShortDate(new Date(resets_at ?? now), zone, now)),
    isOver: false,
    explanation: words.linear,
  };
}
