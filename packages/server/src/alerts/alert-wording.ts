import { formatUtcTime } from '../core/format-utc-time.ts';
import type { Alert } from './alert.ts';

/** The text of an alert, independent of the channel. */
export interface AlertWording {
  /** The subject and what happened, in one line. */
  readonly title: string;
  /** Pairs of label and value, the most important first. */
  readonly facts: readonly (readonly [string, string])[];
}

/** The properties of a message that affect its text. */
export interface AlertWordingContext {
  /** Time of the message in Unix milliseconds, for durations such as "for 3 min". */
  readonly nowMs: number;
  /** Number of earlier messages that this message repeats; 0 for the first one. */
  readonly repetition: number;
  /** Number of failures of the subject. If it is greater than 1, the message about the recovery states it. */
  readonly failureCount: number;
}

type Facts = (readonly [string, string])[];

/**
 * Puts a user-defined text on one line and truncates it. Removes characters that change the direction of the
 * following text.
 */
export function toSingleLine(text: string, maxLength = 200): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');
  return truncateText(line.trim(), maxLength);
}

/** Truncates a text to `maxLength` UTF-16 code units, but not within a character, which receivers would reject. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Truncates a text to `maxBytes` bytes of UTF-8, but not within a character. */
export function truncateTextToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - Buffer.byteLength('…');
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** Returns the text that describes an alert, for any kind of channel. */
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
        title: end === null ? `${name} recovered` : `${name} was ${end} while failing`,
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
      return {
        title: `${name} has never received a beat`,
        facts: [...facts, ...monitorFacts(tags, description)],
      };
    }
    case 'budget':
      return budgetWording(name, alert.fields);
    case 'breaker':
      return conditionWording(
        alert,
        nowMs,
        `Requests to ${name} are ${still}suspended`,
        `Requests to ${name} have resumed`,
      );
    case 'credential':
      return conditionWording(
        alert,
        nowMs,
        `${name}: the provider ${still}rejects the credential`,
        `${name}: the credential works again`,
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
  if (over) facts.push(['Effect', mode === 'hard' ? 'further requests are rejected' : 'none (soft budget)']);
  return { title: `Budget ${name} is ${over ? 'exhausted' : `at ${Math.round(share * 100)}%`}`, facts };
}

function conditionWording(
  alert: Extract<Alert, { event: 'breaker' | 'credential' }>,
  nowMs: number,
  begun: string,
  over: string,
): AlertWording {
  const { sinceMs, error } = alert.fields;
  if (alert.fields.state === 'closed' || alert.fields.state === 'good')
    return { title: over, facts: [['Duration', formatTwoUnitDuration(alert.at - sinceMs)]] };
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

/**
 * Formats a duration in milliseconds with its two largest units, such as `2 d 3 h`, `12 min 5 s` or
 * `0 s`.
 */
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
