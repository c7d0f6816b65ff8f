import type { Alert, AlertPhase } from './alert.ts';
import {
  type AlertWording,
  composeAlertWording,
  formatTwoUnitDuration,
  toSingleLine,
} from './alert-wording.ts';
import { linkToAlert, linkToAlerts, linkToChannels } from './console-links.ts';

/** One message to one channel: about one alert, or about many that came at once. */
export interface AlertNotice {
  /** Stable over all tries of the message: receivers know a repeated one by it. */
  readonly id: string;
  /** The message that began what this one is about; its own id when it begins something. */
  readonly thread: string;
  readonly phase: AlertPhase | 'test';
  /** Above 0: the n-th repetition while it lasts. */
  readonly repetition: number;
  /** How often its subject began again meanwhile without a message, this beginning included: 1 unless it flapped. */
  readonly failureCount: number;
  readonly sentAt: number;
  readonly wording: AlertWording;
  /** Where to look; absolute. */
  readonly link: string;
  /** In order; one, or many when folded; none in a test. */
  readonly alerts: readonly Alert[];
}

/** Lines of a folded message; the rest is counted. */
const MAX_LISTED_ALERTS = 20;

export interface NoticeContent {
  readonly id: string;
  readonly thread: string;
  readonly phase: AlertPhase;
  readonly repetition: number;
  readonly failureCount: number;
  readonly alerts: readonly [Alert, ...Alert[]];
}

export function createNotice(content: NoticeContent, baseUrl: string, nowMs: number): AlertNotice {
  const [first, ...others] = content.alerts;
  const context = { nowMs, repetition: content.repetition, failureCount: content.failureCount };
  return {
    ...content,
    sentAt: nowMs,
    wording: others.length === 0 ? composeAlertWording(first, context) : foldedWording(content, nowMs),
    link: others.length === 0 ? linkToAlert(first, baseUrl) : linkToAlerts(first.orgId, baseUrl),
  };
}

/** What the test verb sends. */
export function createTestNotice(
  id: string,
  channel: { readonly orgId: string; readonly name: string },
  baseUrl: string,
  nowMs: number,
): AlertNotice {
  const name = toSingleLine(channel.name);
  return {
    id,
    thread: id,
    phase: 'test',
    repetition: 0,
    failureCount: 1,
    sentAt: nowMs,
    wording: {
      title: `Test of the channel ${name}`,
      facts: [['Meaning', 'Floe can reach this channel. Nothing has happened.']],
    },
    link: linkToChannels(channel.orgId, baseUrl),
    alerts: [],
  };
}

function foldedWording({ alerts, phase, repetition }: NoticeContent, nowMs: number): AlertWording {
  const count = alerts.length;
  const monitors = alerts.every(({ subject }) => subject.kind === 'monitor');
  const things = monitors ? 'monitors' : 'alerts';
  const title =
    phase === 'closes'
      ? `${count} ${things} recovered`
      : `${count} ${things} are ${repetition > 0 ? 'still ' : ''}failing`;
  const facts = alerts.slice(0, MAX_LISTED_ALERTS).map((alert): readonly [string, string] => {
    const { title: line } = composeAlertWording(alert, { nowMs, repetition, failureCount: 1 });
    const name = toSingleLine(alert.subject.name);
    const ago = 'failingSinceMs' in alert.fields ? alert.fields.failingSinceMs : alert.at;
    if (alert.event === 'monitor_recovered')
      return [name, `after ${formatTwoUnitDuration(alert.fields.downtimeMs)}`];
    return [name, monitors ? `for ${formatTwoUnitDuration(nowMs - ago)}` : line];
  });
  return {
    title,
    facts: count > MAX_LISTED_ALERTS ? [...facts, ['And', `${count - MAX_LISTED_ALERTS} more`]] : facts,
  };
}

/** Title, facts and link as plain lines, cut to what a receiver takes. */
export function formatPlainText(
  { wording, link }: AlertNotice,
  maxLength: number,
  quoted = (text: string) => text,
): string {
  const lines = wording.facts.map(([label, value]) => `${quoted(label)}: ${quoted(value)}`);
  const end = `\n${link}`;
  const text = lines.join('\n');
  return `${text.length + end.length <= maxLength ? text : `${text.slice(0, maxLength - end.length - 1)}…`}${end}`;
}
