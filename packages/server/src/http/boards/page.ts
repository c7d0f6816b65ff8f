import type { BoardView, Downtime, ShownMonitor } from '../../monitoring/boards/status.ts';
import { bars, isNews } from './bars.ts';
import { dateOf, daySlots, dayWords, hasSlots } from './day-slots.ts';
import { headlineOf, type Mood, moodOf } from './headline.ts';
import { DEFINITIONS, mark, sign } from './icons.ts';
import { html, type Markup } from './markup.ts';
import { counted, durationText, percentText, type ZoneText, zoneText } from './wording.ts';

/** Nothing was judged for so long: what the page says may not be so any more. */
const STALE_MS = 120_000;
const DAYS_TOLD = 30;
const DOWNTIMES_TOLD = 20;

export interface Links {
  readonly stylesheet: string;
  readonly icon: string;
  /** Of the board itself; `.json` and badges hang on it. */
  readonly board: string;
}

/** The public page of a board: whole without scripts, with every name escaped. */
export function boardPage(view: BoardView, links: Links): string {
  const zone = zoneText(view.timezone);
  const headline = headlineOf(view, zone);
  const body = html`${DEFINITIONS}<div class="wrap">
<header class="top">${mark()}<h1>${view.name}</h1></header>
<main>${stale(view, zone)}
<section class="banner ${headline.mood}" aria-labelledby="now">${sign(headline.mood)}<h2 id="now">${headline.words}</h2>
<p>${headline.more}</p><p class="at">Checked ${instant(view.checkedAt, zone.exact(view.checkedAt))}</p></section>
${planned(view, zone)}${view.groups.map((group, index) => groupOf(group, index, view, zone))}
${view.groups.length === 0 ? null : legend()}${past(view, zone)}</main>
<footer><span>Times are in ${view.timezone}.</span><a href="${links.board}.json">JSON</a><a href="${links.board}/badge.svg">Badge</a><span class="push">Made with Floe</span></footer>
</div>`;
  return document(`${headline.mood === 'failing' ? '\u2715 ' : ''}${view.name}`, body, links);
}

/** What is answered for boards that are private and for those that are not: the same. */
export function missingPage(links: Omit<Links, 'board'>): string {
  const body = html`${DEFINITIONS}<div class="wrap"><header class="top">${mark()}<h1>Floe</h1></header>
<main><section class="banner paused" aria-labelledby="now">${sign('paused')}<h2 id="now">There is no board here</h2>
<p>The address may be mistyped, or the board is not public.</p></section></main></div>`;
  return document('No board here', body, links);
}

function document(title: string, body: Markup, links: Omit<Links, 'board'>): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title}</title><link rel="stylesheet" href="${links.stylesheet}"><link rel="icon" href="${links.icon}" type="image/svg+xml"></head>
<body>${body}</body>
</html>
`.text;
}

function stale({ nowMs, checkedAt }: BoardView, zone: ZoneText): Markup | null {
  if (nowMs - checkedAt < STALE_MS) return null;
  return html`<p class="stale">This page may be out of date: nothing could be checked since ${instant(checkedAt, zone.full(checkedAt))}.</p>`;
}

function groupOf(
  { name, monitors }: BoardView['groups'][number],
  index: number,
  view: BoardView,
  zone: ZoneText,
): Markup {
  const note =
    index === 0 ? html`<p>Uptime over ${view.days.length} days; unknown and paused time left out</p>` : null;
  const list =
    monitors.length === 0
      ? html`<p class="empty">No monitors in this group.</p>`
      : monitors.map((monitor) => jobOf(monitor, view, zone));
  return html`<section aria-labelledby="g${index}"><div class="head"><h2 id="g${index}">${name}</h2>${note}</div>
<div class="${hasSlots(shownOn(view)) ? 'card' : 'card long'}">${list}</div></section>
`;
}

const STATE_WORDS: Readonly<Record<Mood, string>> = {
  healthy: 'Healthy',
  failing: 'Failing',
  waiting: 'Waiting',
  paused: 'Paused',
  maintenance: 'Maintenance',
};

function jobOf(monitor: ShownMonitor, view: BoardView, zone: ZoneText): Markup {
  const mood = moodOf(monitor);
  const uptime = monitor.uptimeRatio === null ? 'no data yet' : `${percentText(monitor.uptimeRatio)} uptime`;
  const news = monitor.days.flatMap((sums, index) => (isNews(sums) ? [index] : []));
  const words = (index: number) => dayWords(monitor.days[index], view.days[index], zone);
  const summary = `${view.days.length} days: ${uptime}, ${monitor.downtimeMs === 0 ? 'no downtime' : `${durationText(monitor.downtimeMs)} of downtime`}.`;
  const pill =
    mood === 'healthy' ? null : html`<span class="pill ${mood}">${sign(mood)}${STATE_WORDS[mood]}</span>`;
  const label = mood === 'healthy' ? html`<title>${STATE_WORDS[mood]}</title>` : null;
  return html`<article class="job"><div class="line">${sign(mood, label)}<h3>${monitor.name}</h3><span class="note">${noteOf(monitor, mood, view.nowMs, zone)}</span>${pill}<span class="up">${monitor.uptimeRatio === null ? '–' : percentText(monitor.uptimeRatio)}</span></div>
<div class="days">${bars(monitor.days, summary, (index) => words(index))}${
    hasSlots(shownOn(view))
      ? daySlots(
          monitor.name,
          monitor.days.map((_, index) => words(index)),
        )
      : null
  }</div><div class="ends"><span>${view.days.length} days ago</span>${news.length === 0 ? html`<span></span>` : daysTold(monitor, view, news, zone)}<span>Today</span></div></article>
`;
}

function shownOn({ groups }: BoardView): number {
  return groups.reduce((sum, { monitors }) => sum + monitors.length, 0);
}

function noteOf(monitor: ShownMonitor, mood: Mood, nowMs: number, zone: ZoneText): Markup | string {
  const { lastBeatAt, failingSince, pausedUntil, maintenanceUntil } = monitor;
  if (mood === 'maintenance' && maintenanceUntil !== null)
    return html`Planned until ${instant(maintenanceUntil, zone.when(maintenanceUntil, nowMs))}`;
  if (mood === 'failing' && failingSince !== null)
    return html`Since ${instant(failingSince, zone.when(failingSince, nowMs))}, for ${durationText(nowMs - failingSince)}`;
  if (mood === 'paused')
    return pausedUntil === null ? '' : html`Until ${instant(pausedUntil, zone.when(pausedUntil, nowMs))}`;
  if (mood === 'waiting') return lastBeatAt === null ? 'Waiting for the first beat' : 'Waiting for a beat';
  return lastBeatAt === null
    ? ''
    : html`Last beat ${instant(
        lastBeatAt,
        `${durationText(nowMs - lastBeatAt)
          .split(' ', 2)
          .join(' ')} ago`,
        zone.full(lastBeatAt),
      )}`;
}

/** The days that were not plain, in words: what the bars show, for those who do not see them. */
function daysTold(monitor: ShownMonitor, view: BoardView, news: readonly number[], zone: ZoneText): Markup {
  const told = (hasSlots(shownOn(view)) ? [...news] : news.slice(-DAYS_TOLD)).reverse();
  const rows = told.map((index) => {
    const { failing = 0, unknown = 0, paused = 0 } = monitor.days[index] ?? {};
    const day = view.days[index];
    return html`<tr><th scope="row">${day ? dateOf(day, zone) : ''}</th>${[failing, unknown, paused].map((ms) => html`<td>${ms === 0 ? '–' : durationText(ms)}</td>`)}</tr>`;
  });
  const earlier = news.length - told.length;
  const rest =
    earlier === 0
      ? html`<p>All other days were healthy, or nothing was watched yet.</p>`
      : html`<p>and ${earlier} earlier</p>`;
  return html`<details><summary>${counted(news.length, 'unusual day', 'unusual days')}</summary><div class="scroll"><table><thead><tr><th scope="col">Day</th><th scope="col">Failing</th><th scope="col">Unknown</th><th scope="col">Paused</th></tr></thead><tbody>${rows}</tbody></table></div>${rest}</details>`;
}

function planned({ maintenance, nowMs }: BoardView, zone: ZoneText): Markup | null {
  if (maintenance.length === 0) return null;
  const rows = maintenance.map(
    ({ name, startsAt, endsAt, monitors }) =>
      html`<li class="event">${instant(startsAt, startsAt <= nowMs ? 'Under way' : zone.date(startsAt), zone.full(startsAt))}<p><strong>${name}</strong> for ${monitors.slice(0, 3).join(', ')}${monitors.length > 3 ? ` and ${monitors.length - 3} others` : null}</p><span class="lasted">${zone.span(startsAt, endsAt)}</span></li>`,
  );
  return html`<section aria-labelledby="plan"><div class="head"><h2 id="plan">Planned maintenance</h2></div><ol class="card">${rows}</ol></section>
`;
}

function past(view: BoardView, zone: ZoneText): Markup {
  const told = view.downtimes.slice(0, DOWNTIMES_TOLD);
  const list =
    told.length === 0
      ? html`<p class="card empty">No downtime in the last ${view.days.length} days.</p>`
      : html`<ol class="card">${told.map((downtime) => pastRow(downtime, view.nowMs, zone))}</ol>`;
  return html`<section aria-labelledby="past"><div class="head"><h2 id="past">Downtime</h2></div>${list}</section>
`;
}

function pastRow({ name, startedAt, endedAt, lastedMs }: Downtime, nowMs: number, zone: ZoneText): Markup {
  const words =
    endedAt === null
      ? html`<strong>${name}</strong> has been failing since ${zone.time(startedAt)}`
      : html`<strong>${name}</strong> was failing, ${zone.time(startedAt)} to ${zone.date(startedAt) === zone.date(endedAt) ? zone.time(endedAt) : zone.when(endedAt, nowMs)}`;
  return html`<li class="event">${instant(startedAt, zone.date(startedAt), zone.full(startedAt))}<p>${words}</p><span class="lasted">${durationText(lastedMs)}</span></li>`;
}

function legend(): Markup {
  const entry = (shape: Markup, words: string) =>
    html`<li><svg viewBox="0 0 6 16" aria-hidden="true">${shape}</svg>${words}</li>`;
  return html`<ul class="key" aria-label="Key to the bars">
${entry(html`<rect class="bg" width="6" height="16"/>`, 'Healthy')}
${entry(html`<rect class="bg" width="6" height="8"/><rect class="bf" y="9.5" width="6" height="6.5"/>`, 'Failing: height is its share of the day')}
${entry(html`<rect fill="url(#hatch)" width="6" height="16"/>`, 'Unknown: Floe could not see')}
${entry(html`<rect class="bp" x=".5" y="5.5" width="5" height="10"/>`, 'Paused')}
${entry(html`<rect class="bq" y="14" width="6" height="2"/>`, 'No data')}
</ul>
`;
}

function instant(ms: number, words: string, title?: string): Markup {
  const more = title === undefined ? null : html` title="${title}"`;
  return html`<time datetime="${new Date(ms).toISOString()}"${more}>${words}</time>`;
}
