import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { ClientCall } from '../../gateway/client-call.ts';
import { sendFaultResponse } from '../../gateway/send-error.ts';
import { toBoardStatus } from '../../monitoring/boards/board-json.ts';
import type { BoardView } from '../../monitoring/boards/board-view.ts';
import { renderBoardBadge, renderMonitorBadge } from './board-badge.ts';
import { BoardCache, type BoardLoader } from './board-cache.ts';
import { FAVICON_SVG } from './board-icons.ts';
import { renderBoardNotFoundPage, renderBoardPage } from './board-page.ts';
import { BoardRenderTimeLimiter } from './board-render-time-limiter.ts';
import { BOARD_STYLESHEET, BOARD_STYLESHEET_NAME } from './board-stylesheet.ts';

const BASE = '/boards';
const ICON_NAME = 'floe.svg';
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const SVG = 'image/svg+xml; charset=utf-8';
const BOARD_PATH =
  /^\/boards\/([a-z0-9][a-z0-9._-]{0,63}?)(?:(\.json)|\/(badge\.svg)|\/([a-z0-9][a-z0-9._-]{0,63})\/(badge\.svg))?\/?$/;
const CACHE_BRIEFLY = 'public, max-age=5';
/** For signed-in readers. Shared caches must not store it. */
const CACHE_PRIVATE = 'private, no-cache';
const CACHE_IMMUTABLE = 'public, max-age=31536000, immutable';

/** Allows only the stylesheet and icon of Floe: no scripts, frames or forms, and no other origins. */
const SECURITY_HEADERS = [
  'content-security-policy',
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
];

/** A response that is built once and sent many times. */
interface CachedAnswer {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly packed: Buffer;
}

function assetLinks(prefix: string) {
  return {
    stylesheet: `${prefix}${BASE}/assets/${BOARD_STYLESHEET_NAME}`,
    icon: `${prefix}${BASE}/assets/${ICON_NAME}`,
  };
}

/** Renders the page of a board that has no URL, such as a board that is being edited. */
export function renderBoardPreview(view: BoardView, prefix: string): string {
  return renderBoardPage(view, { ...assetLinks(prefix), board: `${prefix}${BASE}/${view.slug}` });
}

/** The handlers of public board pages, their JSON and their badges. */
export interface BoardRoutes {
  /** Responds to `GET` of a path below `/boards/`. */
  answer(client: ClientCall, path: string): void;
}

/** Loads boards for members, who may also see boards that are not public. */
export interface MemberBoardAccess {
  /** Ids of the orgs that the client is signed in to. Empty for other clients. */
  orgsOf(client: ClientCall): Promise<readonly string[]>;
  /**
   * Boards of an org, public or not, named `<org>/<slug>`. The org in the name prevents access to boards of
   * other orgs.
   */
  readonly source: BoardLoader;
}

/**
 * Creates the handlers for boards.
 * @param prefix path of the configured base URL, '' for none
 */
export function createBoardRoutes(parts: {
  readonly source: BoardLoader;
  readonly members: MemberBoardAccess;
  readonly clock: Clock;
  readonly log: Log;
  readonly prefix: string;
}): BoardRoutes {
  const { source, members, clock, log, prefix } = parts;
  const links = assetLinks(prefix);
  const stylesheet = createCachedAnswer('text/css; charset=utf-8', BOARD_STYLESHEET);
  const assets = new Map([
    [`${BASE}/assets/${BOARD_STYLESHEET_NAME}`, stylesheet],
    [`${BASE}/assets/${ICON_NAME}`, createCachedAnswer(SVG, FAVICON_SVG)],
  ]);
  const missing = createCachedAnswer(HTML, renderBoardNotFoundPage(links));
  const timeLimiter = new BoardRenderTimeLimiter(clock);
  const render = (view: BoardView, orgId: string) =>
    new BoardAnswers(view, { ...links, base: `${prefix}${BASE}` }, (work) =>
      timeLimiter.measure(orgId, work),
    );
  const cache = new BoardCache({ source, clock, timeLimiter, render });
  const memberCache = new BoardCache({ source: members.source, clock, timeLimiter, render });

  async function findMemberBoard(client: ClientCall, slug: string): Promise<BoardAnswers | null> {
    for (const orgId of await members.orgsOf(client)) {
      const found = await memberCache.get(`${orgId}/${slug}`);
      if (found) return found;
    }
    return null;
  }

  async function answerBoard(client: ClientCall, path: string): Promise<void> {
    const [, slug, json, badge, monitor] = BOARD_PATH.exec(path) ?? [];
    const open = slug === undefined ? null : await cache.get(slug);
    const answers = open ?? (slug === undefined ? null : await findMemberBoard(client, slug));
    const found = json
      ? answers?.json()
      : badge
        ? answers?.badge()
        : monitor
          ? answers?.monitor(monitor)
          : answers?.page();
    if (found) return sendAnswer(client, 200, found, open ? CACHE_BRIEFLY : CACHE_PRIVATE);
    if (slug === undefined || json || badge || monitor) return sendFault(client, NO_BOARD);
    sendAnswer(client, 404, missing, 'no-store');
  }

  return {
    answer(client, path) {
      const asset = assets.get(path);
      if (asset) return sendAnswer(client, 200, asset, CACHE_IMMUTABLE);
      answerBoard(client, path).catch((error: unknown) => {
        if (error instanceof Fault && error.code === 'overloaded') return sendFault(client, error);
        log.warn({ err: error, request_id: client.id }, 'board could not be loaded');
        sendFault(client, NOT_LOADED);
      });
    },
  };
}

const NOT_LOADED = new Fault('overloaded', 'The board could not be loaded. Try again.', {
  retryAfterMs: 5_000,
});
const NO_BOARD = new Fault('not_found', 'There is no public board at this URL.');

/** Approximate memory for one day of a monitor, and for its other values, in a cached board. */
const BYTES_PER_DAY = 72;
const BYTES_PER_MONITOR = 1_000;

interface BoardAnswerLinks {
  readonly stylesheet: string;
  readonly icon: string;
  /** The base URL of all boards. */
  readonly base: string;
}

/** The responses of one board. Each format is rendered at its first request. */
class BoardAnswers {
  readonly #view: BoardView;
  readonly #links: BoardAnswerLinks;
  readonly #measure: <Made>(work: () => Made) => Made;
  readonly #made = new Map<string, CachedAnswer>();
  #bytes: number;

  /** @param measure runs a function and records its duration */
  constructor(view: BoardView, links: BoardAnswerLinks, measure: <Made>(work: () => Made) => Made) {
    this.#view = view;
    this.#links = links;
    this.#measure = measure;
    const monitors = view.groups.reduce((sum, group) => sum + group.monitors.length, 0);
    this.#bytes = monitors * (BYTES_PER_MONITOR + view.days.length * BYTES_PER_DAY);
  }

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  page(): CachedAnswer {
    const { base, ...assets } = this.#links;
    const links = { ...assets, board: `${base}/${this.#view.slug}` };
    return this.#once('page', HTML, () => renderBoardPage(this.#view, links));
  }

  json(): CachedAnswer {
    return this.#once('json', JSON_TYPE, () => JSON.stringify(toBoardStatus(this.#view)));
  }

  badge(): CachedAnswer {
    return this.#once('badge', SVG, () => renderBoardBadge(this.#view));
  }

  /** Undefined for a monitor that is not on the board. */
  monitor(id: string): CachedAnswer | undefined {
    const shown = this.#view.groups.flatMap(({ monitors }) => monitors).find((monitor) => monitor.id === id);
    return shown && this.#once(`monitor ${id}`, SVG, () => renderMonitorBadge(shown));
  }

  #once(name: string, type: string, text: () => string): CachedAnswer {
    const known = this.#made.get(name);
    if (known) return known;
    const sent = this.#measure(() => createCachedAnswer(type, text()));
    this.#bytes += sent.plain.length + sent.packed.length;
    this.#made.set(name, sent);
    return sent;
  }
}

function createCachedAnswer(type: string, text: string): CachedAnswer {
  const plain = Buffer.from(text);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, etag, plain, packed: gzipSync(plain) };
}

function sendAnswer(
  client: ClientCall,
  status: number,
  { type, etag, plain, packed }: CachedAnswer,
  caching: string,
): void {
  const isOwn = caching === CACHE_PRIVATE;
  const vary = isOwn ? 'accept-encoding, cookie' : 'accept-encoding';
  const headers = [...SECURITY_HEADERS, 'cache-control', caching, 'x-request-id', client.id, 'vary', vary];
  // The data is public, so other sites may read and show it.
  if (type !== HTML && !isOwn)
    headers.push('access-control-allow-origin', '*', 'cross-origin-resource-policy', 'cross-origin');
  if (status === 200) {
    headers.push('etag', etag);
    if (etagMatches(client.headers['if-none-match'], etag)) return client.sendAnswer(304, headers, '');
  }
  headers.push('content-type', type);
  if (!acceptsGzip(client.headers['accept-encoding'])) return client.sendAnswer(status, headers, plain);
  client.sendAnswer(status, [...headers, 'content-encoding', 'gzip'], packed);
}

function etagMatches(asked: string | undefined, etag: string): boolean {
  if (asked === undefined) return false;
  return asked.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*');
}

function acceptsGzip(accepted: string | string[] | undefined): boolean {
  return /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(accepted ?? ''));
}

function sendFault(client: ClientCall, fault: Fault): void {
  sendFaultResponse(client, fault, 'openai', [
    ...SECURITY_HEADERS,
    'cache-control',
    'no-store',
    'content-type',
    'application/json',
    'x-request-id',
    client.id,
  ]);
}
