import type { Alert, AlertPhase } from './alert.ts';
import {
  type AlertWording,
  composeAlertWording,
  formatTwoUnitDuration,
  toSingleLine,
  truncateText,
} from './alert-wording.ts';
import { buildAlertLogUrl, buildAlertSubjectUrl, buildChannelListUrl } from './console-links.ts';

/** A message to a channel about one or more alerts. */
export interface AlertMessage {
  /**
   * Id of the message. It is the same for all attempts, so that receivers can recognize a repeated message.
   */
  readonly id: string;
  /**
   * Id of the message that reported the start of the alert. If this message reports the start, its own id.
   */
  readonly thread: string;
  readonly phase: AlertPhase | 'test';
  /** 0 for the first message; n for the n-th repetition while the alert is open. */
  readonly repetition: number;
  /**
   * Number of failures of the subject before this message, including those without a message of their own.
   * More than 1 only if the subject was flapping.
   */
  readonly failureCount: number;
  readonly sentAt: number;
  readonly wording: AlertWording;
  /** Absolute URL of the console page. */
  readonly link: string;
  /** The alerts, in order. Several if the message is grouped; empty in a test message. */
  readonly alerts: readonly Alert[];
}

/** Maximum number of alerts that a grouped message lists. It states only the number of the others. */
const MAX_LISTED_ALERTS = 20;

/** The fields of a message from which its title, wording and link are created. */
export interface AlertMessageContent {
  readonly id: string;
  readonly thread: string;
  readonly phase: AlertPhase;
  readonly repetition: number;
  readonly failureCount: number;
  readonly alerts: readonly [Alert, ...Alert[]];
}

/** Creates a message, including its title, wording and link. */
export function createAlertMessage(
  content: AlertMessageContent,
  baseUrl: string,
  nowMs: number,
): AlertMessage {
  const [first, ...others] = content.alerts;
  const context = { nowMs, repetition: content.repetition, failureCount: content.failureCount };
  return {
    ...content,
    sentAt: nowMs,
    wording: others.length === 0 ? composeAlertWording(first, context) : foldedWording(content, nowMs),
    link: others.length === 0 ? buildAlertSubjectUrl(first, baseUrl) : buildAlertLogUrl(first.orgId, baseUrl),
  };
}

/** Creates a test message for a channel. */
export function createTestAlertMessage(
  id: string,
  channel: { readonly orgId: string; readonly name: string },
  baseUrl: string,
  nowMs: number,
): AlertMessage {
  const name = toSingleLine(channel.name);
  return {
    id,
    thread: id,
    phase: 'test',
    repetition: 0,
    failureCount: 1,
    sentAt: nowMs,
    wording: {
      title: `Test message for channel ${name}`,
      facts: [['Note', 'Floe can deliver alerts to this channel. No action is needed.']],
    },
    link: buildChannelListUrl(channel.orgId, baseUrl),
    alerts: [],
  };
}

function foldedWording({ alerts, phase, repetition }: AlertMessageContent, nowMs: number): AlertWording {
  const count = alerts.length;
  const monitors = alerts.every(({ subject }) => subject.kind === 'monitor');
  const facts = alerts.slice(0, MAX_LISTED_ALERTS).map((alert): readonly [string, string] => {
    const { title: line } = composeAlertWording(alert, { nowMs, repetition, failureCount: 1 });
    const name = toSingleLine(alert.subject.name);
    const { fields } = alert;
    const sinceMs =
      'failingSinceMs' in fields
        ? fields.failingSinceMs
        : 'waitingSinceMs' in fields
          ? fields.waitingSinceMs
          : alert.at;
    if (alert.event === 'monitor_recovered')
      return [name, `after ${formatTwoUnitDuration(alert.fields.downtimeMs)}`];
    return [name, monitors ? `for ${formatTwoUnitDuration(nowMs - sinceMs)}` : line];
  });
  return {
    title: foldedTitle({ alerts, phase, repetition }),
    facts:
      count > MAX_LISTED_ALERTS ? [...facts, ['Not listed', `${count - MAX_LISTED_ALERTS} more`]] : facts,
  };
}

function foldedTitle({
  alerts,
  phase,
  repetition,
}: Pick<AlertMessageContent, 'alerts' | 'phase' | 'repetition'>): string {
  const count = alerts.length;
  const monitors = alerts.every(({ subject }) => subject.kind === 'monitor');
  if (alerts.every(({ event }) => event === 'monitor_never_beaten'))
    return `${count} monitors have never received a beat`;
  if (phase === 'closes')
    return `${count} ${monitors ? 'monitors are no longer failing' : 'alerts resolved'}`;
  const still = repetition > 0 ? 'still ' : '';
  return monitors ? `${count} monitors are ${still}failing` : `${count} alerts are ${still}firing`;
}

/** How the text of a message is adapted to a kind of channel. */
export interface PlainTextFormat {
  /** Escapes markup. */
  readonly quoted?: (text: string) => string;
  /** Truncates a text, by default to a number of UTF-16 code units. */
  readonly truncate?: (text: string, maxLength: number) => string;
}

/**
 * Formats an alert as plain text: one line per fact, then the link. Truncates the facts so that the text fits in
 * `maxLength`.
 */
export function formatPlainTextMessage(
  { wording, link }: AlertMessage,
  maxLength: number,
  { quoted = (text) => text, truncate = truncateText }: PlainTextFormat = {},
): string {
  const lines = wording.facts.map(([label, value]) => `${quoted(label)}: ${quoted(value)}`);
  const end = `\n${link}`;
  return `${truncate(lines.join('\n'), maxLength - end.length)}${end}`;
}
