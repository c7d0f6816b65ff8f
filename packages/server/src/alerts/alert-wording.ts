import type { Alert } from './alert.ts';

/** What a person reads about one alert, before a channel gives it its own form. */
export interface AlertWording {
  /** One line: what happened to what. */
  readonly title: string;
  /** Label and value, in the order they help. */
  readonly facts: readonly (readonly [string, string])[];
}

export interface AlertWordingContext {
  /** For "for 3 min": when the message is written. */
  readonly nowMs: number;
  /** Above 0 the message repeats an earlier one. */
  readonly repetition: number;
  /** Above 1: it failed so often before it was over, and only this says so. */
  readonly failureCount: number;
}

type Facts = (readonly [string, string])[];

/** Names come from users: one line each, and short. */
export function toSingleLine(text: string, maxLength = 200): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

export function composeAlertWording(alert: Alert, context: AlertWordingContext): AlertWording {
  const { title, facts } = eventWording(alert, context);
  const { failureCount } = context;
  return failureCount > 1
    ? { title, facts: [['Failed', `${failureCount} times`], ...facts] }
    : { title, facts };
}

function eventWording(alert: Alert, { nowMs, repetition }: AlertWordingContext): AlertWording {
  const name = toSingleLine(alert.subject.name);
  const still = repetition > 0 ? 'still ' : '';
  switch (alert.event) {
    case 'monitor_failing': {
      const { error, failingSinceMs, lastBeatMs, tags, description } = alert.fields;
      const facts: Facts = [sinceFact(failingSinceMs, nowMs), ['Error', toSingleLine(error, 500)]];
      facts.push(['Last beat', lastBeatMs === null ? 'never' : formatUtcTime(lastBeatMs)]);
      return { title: `${name} is ${still}failing`, facts: [...facts, ...monitorFacts(tags, description)] };
    }
    case 'monitor_recovered': {
      const { failingSinceMs, downtimeMs, tags, paused = false, deleted = false } = alert.fields;
      const end = deleted ? 'deleted' : paused ? 'paused' : null;
      const facts: Facts = [
        ['Downtime', formatTwoUnitDuration(downtimeMs)],
        ['Failing since', formatUtcTime(failingSinceMs)],
        [deleted ? 'Deleted' : paused ? 'Paused' : 'Recovered', formatUtcTime(alert.at)],
      ];
      return {
        title: end === null ? `${name} recovered` : `${name} was ${end} while it failed`,
        facts: [...facts, ...monitorFacts(tags)],
      };
    }
    case 'monitor_never_beaten': {
      const { waitingSinceMs, tags, description } = alert.fields;
      const facts: Facts = [
        [
          'Waiting since',
          `${formatUtcTime(waitingSinceMs)} (${formatTwoUnitDuration(nowMs - waitingSinceMs)})`,
        ],
      ];
      return { title: `${name} has never called in`, facts: [...facts, ...monitorFacts(tags, description)] };
    }
    case 'budget':
      return budgetWording(name, alert.fields);
    case 'breaker':
      return conditionWording(
        alert,
        nowMs,
        `Requests to ${name} are ${still}stopped`,
        `Requests to ${name} flow again`,
      );
    case 'credential':
      return conditionWording(
        alert,
        nowMs,
        `The credential ${name} is ${still}refused`,
        `The credential ${name} works again`,
      );
  }
}

function budgetWording(name: string, fields: Extract<Alert, { event: 'budget' }>['fields']): AlertWording {
  const { share, spentNanoUsd, limitNanoUsd, period, mode, resetsAtMs } = fields;
  const over = share >= 1;
  const facts: Facts = [
    ['Spent', `${formatNanoUsd(spentNanoUsd)} of ${formatNanoUsd(limitNanoUsd)}`],
    ['Period', toSingleLine(period)],
  ];
  if (resetsAtMs !== null) facts.push(['Resets', formatUtcTime(resetsAtMs)]);
  if (over)
    facts.push(['Effect', mode === 'hard' ? 'further requests are refused' : 'none, the budget is soft']);
  return { title: `Budget ${name} is ${over ? 'spent' : `at ${Math.round(share * 100)} %`}`, facts };
}

function conditionWording(
  alert: Extract<Alert, { event: 'breaker' | 'credential' }>,
  nowMs: number,
  begun: string,
  over: string,
): AlertWording {
  const { sinceMs, error } = alert.fields;
  if (alert.fields.state === 'closed' || alert.fields.state === 'good')
    return { title: over, facts: [['Lasted', formatTwoUnitDuration(alert.at - sinceMs)]] };
  const facts: Facts = [sinceFact(sinceMs, nowMs)];
  if (error !== undefined) facts.push(['Error', toSingleLine(error, 500)]);
  return { title: begun, facts };
}

function sinceFact(sinceMs: number, nowMs: number): readonly [string, string] {
  return ['Since', `${formatUtcTime(sinceMs)} (${formatTwoUnitDuration(nowMs - sinceMs)})`];
}

function monitorFacts(tags: readonly string[], description = ''): Facts {
  const facts: Facts = [];
  if (tags.length > 0) facts.push(['Tags', toSingleLine(tags.join(', '))]);
  if (description !== '') facts.push(['About', toSingleLine(description, 500)]);
  return facts;
}

/** `2026-11-21 22:40:00 UTC` */
export function formatUtcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The two largest units: `2 d 3 h`, `12 min 5 s`, `0 s`. */
export function formatTwoUnitDuration(ms: number): string {
  let seconds = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, length] of UNITS) {
    const count = Math.floor(seconds / length);
    seconds -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

function formatNanoUsd(nano: number): string {
  return `$${(nano / 1e9).toFixed(2)}`;
}
