import type { Alert, Phase } from './alert.ts';
import { linkTo, linkToAlerts, linkToChannels } from './links.ts';
import { duration, oneLine, type Wording, wordingOf } from './wording.ts';

/** One message to one channel: about one alert, or about many that came at once. */
export interface Notice {
  /** Stable over all tries of the message: receivers know a repeated one by it. */
  readonly id: string;
  /** The message that began what this one is about; its own id when it begins something. */
  readonly thread: string;
  readonly phase: Phase | 'test';
  /** Above 0: the n-th repetition while it lasts. */
  readonly repetition: number;
  /** How often its subject began again meanwhile without a message, this beginning included: 1 unless it flapped. */
  readonly failureCount: number;
  readonly sentAt: number;
  readonly wording: Wording;
  /** Where to look; absolute. */
  readonly link: string;
  /** In order; one, or many when folded; none in a test. */
  readonly alerts: readonly Alert[];
}

/** Lines of a folded message; the rest is counted. */
const LISTED = 20;

export interface Told {
  readonly id: string;
  readonly thread: string;
  readonly phase: Phase;
  readonly repetition: number;
  readonly failureCount: number;
  readonly alerts: readonly [Alert, ...Alert[]];
}

export function noticeOf(told: Told, baseUrl: string, nowMs: number): Notice {
  const [first, ...others] = told.alerts;
  const context = { nowMs, repetition: told.repetition, failureCount: told.failureCount };
  return {
    ...told,
    sentAt: nowMs,
    wording: others.length === 0 ? wordingOf(first, context) : folded(told, nowMs),
    link: others.length === 0 ? linkTo(first, baseUrl) : linkToAlerts(first.orgId, baseUrl),
  };
}

/** What the test verb sends. */
export function testNotice(
  id: string,
  channel: { readonly orgId: string; readonly name: string },
  baseUrl: string,
  nowMs: number,
): Notice {
  const name = oneLine(channel.name);
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

function folded({ alerts, phase, repetition }: Told, nowMs: number): Wording {
  const count = alerts.length;
  const monitors = alerts.every(({ subject }) => subject.kind === 'monitor');
  const things = monitors ? 'monitors' : 'alerts';
  const title =
    phase === 'closes'
      ? `${count} ${things} recovered`
      : `${count} ${things} are ${repetition > 0 ? 'still ' : ''}failing`;
  const facts = alerts.slice(0, LISTED).map((alert): readonly [string, string] => {
    const { title: line } = wordingOf(alert, { nowMs, repetition, failureCount: 1 });
    const name = oneLine(alert.subject.name);
    const ago = 'failingSinceMs' in alert.fields ? alert.fields.failingSinceMs : alert.at;
    if (alert.event === 'monitor_recovered') return [name, `after ${duration(alert.fields.downtimeMs)}`];
    return [name, monitors ? `for ${duration(nowMs - ago)}` : line];
  });
  return { title, facts: count > LISTED ? [...facts, ['And', `${count - LISTED} more`]] : facts };
}

/** Title, facts and link as plain lines, cut to what a receiver takes. */
export function plainText({ wording, link }: Notice, most: number, quoted = (text: string) => text): string {
  const lines = wording.facts.map(([label, value]) => `${quoted(label)}: ${quoted(value)}`);
  const end = `\n${link}`;
  const text = lines.join('\n');
  return `${text.length + end.length <= most ? text : `${text.slice(0, most - end.length - 1)}…`}${end}`;
}
