import { formatCountWithNoun } from '../../core/count-with-noun.ts';
import type { BoardDowntime, BoardMonitor, BoardView } from '../../monitoring/boards/board-view.ts';
import { type BoardDisplayStatus, buildBoardHeadline, resolveBoardDisplayStatus } from './board-headline.ts';
import { renderLogo, renderStatusIcon, SVG_DEFINITIONS } from './board-icons.ts';
import {
  formatBoardDuration,
  formatUptimePercent,
  getTimeZoneDateFormatter,
  type TimeZoneDateFormatter,
} from './board-text.ts';
import { isUnusualBoardDay, renderDayBars } from './day-bars.ts';
import { describeBoardDay, formatBoardDate, renderDayButtons, shouldShowDayButtons } from './day-buttons.ts';
import { html, type Markup } from './markup.ts';

/** Without an evaluation for this time, the page may be out of date. */
const STALE_MS = 120_000;
const MAX_UNUSUAL_DAYS = 30;
const MAX_DOWNTIMES = 20;

/** The URLs that a board page links to. */
export interface BoardLinks {
  readonly stylesheet: string;
  readonly icon: string;
  /** URL of the board; the URLs of its JSON and badges start with it. */
  readonly board: string;
}

/** Renders a board's public page. The page needs no scripts. All names are escaped. */
export function renderBoardPage(view: BoardView, links: BoardLinks): string {
  const zone = getTimeZoneDateFormatter(view.timezone);
  const headline = buildBoardHeadline(view, zone);
  const body = html`${SVG_DEFINITIONS}<div class="wrap">
<header class="top">${renderLogo()}<h1>${view.name}</h1></header>
<main>${renderStaleNotice(view, zone)}
<section class="banner ${headline.status}" aria-labelledby="now">${renderStatusIcon(headline.status)}<h2 id="now">${headline.title}</h2>
<p>${headline.detail}</p><p class="at">Last checked ${renderTime(view.checkedAt, zone.timeWithZone(view.checkedAt))}</p></section>
${renderPlannedMaintenance(view, zone)}${view.groups.map((group, index) => renderGroup(group, index, view, zone))}
${view.groups.length === 0 ? null : renderLegend()}${renderDowntimes(view, zone)}</main>
<footer><span>Times are in ${view.timezone}.</span><a href="${links.board}.json">JSON</a><a href="${links.board}/badge.svg">Badge</a><span class="push">Powered by Floe</span></footer>
</div>`;
  return renderDocument(`${headline.status === 'failing' ? '\u2715 ' : ''}${view.name}`, body, links);
}

/**
 * Renders the page for private boards and for boards that do not exist. It is the same for both, so
 * that it does not reveal whether a board exists.
 */
export function renderBoardNotFoundPage(links: Omit<BoardLinks, 'board'>): string {
  const body = html`${SVG_DEFINITIONS}<div class="wrap"><header class="top">${renderLogo()}<h1>Floe</h1></header>
<main><section class="banner paused" aria-labelledby="now">${renderStatusIcon('paused')}<h2 id="now">Board not found</h2>
<p>The URL is incorrect, or the board is not public.</p></section></main></div>`;
  return renderDocument('Board not found', body, links);
}

function renderDocument(title: string, body: Markup, links: Omit<BoardLinks, 'board'>): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title}</title><link rel="stylesheet" href="${links.stylesheet}"><link rel="icon" href="${links.icon}" type="image/svg+xml"></head>
<body>${body}</body>
</html>
`.text;
}

function renderStaleNotice({ nowMs, checkedAt }: BoardView, zone: TimeZoneDateFormatter): Markup | null {
  if (nowMs - checkedAt < STALE_MS) return null;
  return html`<p class="stale">This page may be out of date. The last check was on ${renderTime(checkedAt, zone.dateTime(checkedAt))}.</p>`;
}

function renderGroup(
  { name, monitors }: BoardView['groups'][number],
  index: number,
  view: BoardView,
  zone: TimeZoneDateFormatter,
): Markup {
  const note =
    index === 0
      ? html`<p>Uptime over the last ${view.days.length} days. Unknown and paused time is not counted.</p>`
      : null;
  const list =
    monitors.length === 0
      ? html`<p class="empty">No monitors in this group.</p>`
      : monitors.map((monitor) => renderMonitor(monitor, view, zone));
  return html`<section aria-labelledby="g${index}"><div class="head"><h2 id="g${index}">${name}</h2>${note}</div>
<div class="${shouldShowDayButtons(countMonitors(view)) ? 'card' : 'card long'}">${list}</div></section>
`;
}

const STATUS_LABELS: Readonly<Record<BoardDisplayStatus, string>> = {
  healthy: 'Healthy',
  failing: 'Failing',
  waiting: 'Waiting',
  paused: 'Paused',
  maintenance: 'Maintenance',
};

function renderMonitor(monitor: BoardMonitor, view: BoardView, zone: TimeZoneDateFormatter): Markup {
  const status = resolveBoardDisplayStatus(monitor);
  const uptime =
    monitor.uptimeRatio === null ? 'no data yet' : `${formatUptimePercent(monitor.uptimeRatio)} uptime`;
  const news = monitor.days.flatMap((sums, index) => (isUnusualBoardDay(sums) ? [index] : []));
  const words = (index: number) => describeBoardDay(monitor.days[index], view.days[index], zone);
  const summary = `${view.days.length} days: ${uptime}, ${monitor.downtimeMs === 0 ? 'no downtime' : `${formatBoardDuration(monitor.downtimeMs)} of downtime`}.`;
  const pill =
    status === 'healthy'
      ? null
      : html`<span class="pill ${status}">${renderStatusIcon(status)}${STATUS_LABELS[status]}</span>`;
  const label = status === 'healthy' ? html`<title>${STATUS_LABELS[status]}</title>` : null;
  return html`<article class="job"><div class="line">${renderStatusIcon(status, label)}<h3>${monitor.name}</h3><span class="note">${renderNote(monitor, status, view.nowMs, zone)}</span>${pill}<span class="up">${monitor.uptimeRatio === null ? '–' : formatUptimePercent(monitor.uptimeRatio)}</span></div>
<div class="days">${renderDayBars(monitor.days, summary, (index) => words(index))}${
    shouldShowDayButtons(countMonitors(view))
      ? renderDayButtons(
          monitor.name,
          monitor.days.map((_, index) => words(index)),
        )
      : null
  }</div><div class="ends"><span>${view.days.length} days ago</span>${news.length === 0 ? html`<span></span>` : renderUnusualDays(monitor, view, news, zone)}<span>Today</span></div>${renderHistoryStart(monitor, zone)}</article>
`;
}

function renderHistoryStart({ historySince }: BoardMonitor, zone: TimeZoneDateFormatter): Markup | null {
  if (historySince === null) return null;
  return html`<p class="since">The history starts at ${renderTime(historySince, zone.dateTime(historySince))}. Earlier history is not shown, because the status changed too often.</p>`;
}

function countMonitors({ groups }: BoardView): number {
  return groups.reduce((sum, { monitors }) => sum + monitors.length, 0);
}

function renderNote(
  monitor: BoardMonitor,
  status: BoardDisplayStatus,
  nowMs: number,
  zone: TimeZoneDateFormatter,
): Markup | string {
  const { lastBeatAt, failingSince, pausedUntil, maintenanceUntil } = monitor;
  if (status === 'maintenance' && maintenanceUntil !== null)
    return html`Until ${renderTime(maintenanceUntil, zone.timeOrDateTime(maintenanceUntil, nowMs))}`;
  if (status === 'failing' && failingSince !== null)
    return html`Since ${renderTime(failingSince, zone.timeOrDateTime(failingSince, nowMs))}, for ${formatBoardDuration(nowMs - failingSince)}`;
  if (status === 'paused')
    return pausedUntil === null
      ? ''
      : html`Until ${renderTime(pausedUntil, zone.timeOrDateTime(pausedUntil, nowMs))}`;
  if (status === 'waiting') return lastBeatAt === null ? 'Waiting for the first beat' : 'Waiting for a beat';
  return lastBeatAt === null
    ? ''
    : html`Last beat ${renderTime(
        lastBeatAt,
        `${formatBoardDuration(nowMs - lastBeatAt)
          .split(' ', 2)
          .join(' ')} ago`,
        zone.dateTime(lastBeatAt),
      )}`;
}

/** Renders the days that were not entirely healthy as a table, for screen readers. */
function renderUnusualDays(
  monitor: BoardMonitor,
  view: BoardView,
  news: readonly number[],
  zone: TimeZoneDateFormatter,
): Markup {
  const told = (
    shouldShowDayButtons(countMonitors(view)) ? [...news] : news.slice(-MAX_UNUSUAL_DAYS)
  ).reverse();
  const rows = told.map((index) => {
    const { failing = 0, unknown = 0, paused = 0 } = monitor.days[index] ?? {};
    const day = view.days[index];
    return html`<tr><th scope="row">${day ? formatBoardDate(day, zone) : ''}</th>${[failing, unknown, paused].map((ms) => html`<td>${ms === 0 ? '–' : formatBoardDuration(ms)}</td>`)}</tr>`;
  });
  const earlier = news.length - told.length;
  const rest =
    earlier === 0
      ? html`<p>All other days were healthy or have no data.</p>`
      : html`<p>${formatCountWithNoun(earlier, 'earlier day is', 'earlier days are')} not shown.</p>`;
  return html`<details><summary>${formatCountWithNoun(news.length, 'affected day', 'affected days')}</summary><div class="scroll"><table><thead><tr><th scope="col">Day</th><th scope="col">Failing</th><th scope="col">Unknown</th><th scope="col">Paused</th></tr></thead><tbody>${rows}</tbody></table></div>${rest}</details>`;
}

function renderPlannedMaintenance(
  { maintenance, nowMs }: BoardView,
  zone: TimeZoneDateFormatter,
): Markup | null {
  if (maintenance.length === 0) return null;
  const rows = maintenance.map(
    ({ name, startsAt, endsAt, monitors }) =>
      html`<li class="event">${renderTime(startsAt, startsAt <= nowMs ? 'In progress' : zone.date(startsAt), zone.dateTime(startsAt))}<p><strong>${name}</strong> affects ${monitors.slice(0, 3).join(', ')}${monitors.length > 3 ? ` and ${monitors.length - 3} others` : null}</p><span class="lasted">${zone.timeRange(startsAt, endsAt)}</span></li>`,
  );
  return html`<section aria-labelledby="plan"><div class="head"><h2 id="plan">Planned maintenance</h2></div><ol class="card">${rows}</ol></section>
`;
}

function renderDowntimes(view: BoardView, zone: TimeZoneDateFormatter): Markup {
  const told = view.downtimes.slice(0, MAX_DOWNTIMES);
  const list =
    told.length === 0
      ? html`<p class="card empty">No downtime in the last ${view.days.length} days.</p>`
      : html`<ol class="card">${told.map((downtime) => renderDowntime(downtime, view.nowMs, zone))}</ol>`;
  return html`<section aria-labelledby="past"><div class="head"><h2 id="past">Downtime</h2></div>${list}</section>
`;
}

function renderDowntime(
  { name, startedAt, endedAt, durationMs }: BoardDowntime,
  nowMs: number,
  zone: TimeZoneDateFormatter,
): Markup {
  const words =
    endedAt === null
      ? html`<strong>${name}</strong> has been failing since ${zone.time(startedAt)}`
      : html`<strong>${name}</strong> was failing from ${zone.time(startedAt)} to ${zone.date(startedAt) === zone.date(endedAt) ? zone.time(endedAt) : zone.timeOrDateTime(endedAt, nowMs)}`;
  return html`<li class="event">${renderTime(startedAt, zone.date(startedAt), zone.dateTime(startedAt))}<p>${words}</p><span class="lasted">${formatBoardDuration(durationMs)}</span></li>`;
}

function renderLegend(): Markup {
  const entry = (shape: Markup, words: string) =>
    html`<li><svg viewBox="0 0 6 16" aria-hidden="true">${shape}</svg>${words}</li>`;
  return html`<ul class="key" aria-label="Legend">
${entry(html`<rect class="bg" width="6" height="16"/>`, 'Healthy')}
${entry(html`<rect class="bg" width="6" height="8"/><rect class="bf" y="9.5" width="6" height="6.5"/>`, 'Failing (height: share of the day)')}
${entry(html`<rect fill="url(#hatch)" width="6" height="16"/>`, 'Unknown: Floe could not accept beats')}
${entry(html`<rect class="bp" x=".5" y="5.5" width="5" height="10"/>`, 'Paused')}
${entry(html`<rect class="bq" y="14" width="6" height="2"/>`, 'No data')}
</ul>
`;
}

function renderTime(ms: number, words: string, title?: string): Markup {
  const more = title === undefined ? null : html` title="${title}"`;
  return html`<time datetime="${new Date(ms).toISOString()}"${more}>${words}</time>`;
}
