import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Client } from '../../gateway/client.ts';
import { answerFault } from '../../gateway/send-error.ts';
import { boardJson } from '../../monitoring/boards/board-json.ts';
import type { BoardView } from '../../monitoring/boards/status.ts';
import { boardBadge, monitorBadge } from './badge.ts';
import { BoardCache, type BoardSource } from './board-cache.ts';
import { ICON } from './icons.ts';
import { boardPage, missingPage } from './page.ts';
import { STYLESHEET, STYLESHEET_NAME } from './style.ts';

const BASE = '/boards';
const ICON_NAME = 'floe.svg';
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const SVG = 'image/svg+xml; charset=utf-8';
const PATH =
  /^\/boards\/([a-z0-9][a-z0-9._-]{0,63}?)(?:(\.json)|\/(badge\.svg)|\/([a-z0-9][a-z0-9._-]{0,63})\/(badge\.svg))?\/?$/;
const SHORTLY = 'public, max-age=5';
/** For whoever is signed in, and nobody behind them. */
const OWN = 'private, no-cache';
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Nothing but our own stylesheet and icon: no script, no frame, no form, nothing from elsewhere. */
const SAFETY = [
  'content-security-policy',
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
];

/** An answer made once and sent many times. */
interface Sent {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly packed: Buffer;
}

function linksOf(prefix: string) {
  return {
    stylesheet: `${prefix}${BASE}/assets/${STYLESHEET_NAME}`,
    icon: `${prefix}${BASE}/assets/${ICON_NAME}`,
  };
}

/** The page of a board that is not answered here, such as one that is being edited. */
export function drawBoard(view: BoardView, prefix: string): string {
  return boardPage(view, { ...linksOf(prefix), board: `${prefix}${BASE}/${view.slug}` });
}

export interface BoardRoutes {
  /** Answers `GET` of a path below `/boards/`. */
  answer(client: Client, path: string): void;
}

/** The boards that only members see. */
export interface MemberBoards {
  /** Ids of the orgs that whoever asks is signed in to; none for everybody else. */
  orgsOf(client: Client): Promise<readonly string[]>;
  /** Boards of an org, public or not, as `<org>/<slug>`: an org's name in it means that no other one's is found. */
  readonly source: BoardSource;
}

/** @param prefix path of the configured base URL, '' for none */
export function createBoardRoutes(parts: {
  readonly source: BoardSource;
  readonly members: MemberBoards;
  readonly clock: Clock;
  readonly log: Log;
  readonly prefix: string;
}): BoardRoutes {
  const { source, members, clock, log, prefix } = parts;
  const links = linksOf(prefix);
  const assets = new Map([
    [`${BASE}/assets/${STYLESHEET_NAME}`, made('text/css; charset=utf-8', STYLESHEET)],
    [`${BASE}/assets/${ICON_NAME}`, made(SVG, ICON)],
  ]);
  const missing = made(HTML, missingPage(links));
  const answersOf = (view: BoardView) => new Answers(view, `${prefix}${BASE}`, links);
  const cache = new BoardCache(source, clock, answersOf);
  const ownCache = new BoardCache(members.source, clock, answersOf);

  async function ownBoard(client: Client, slug: string): Promise<Answers | null> {
    for (const orgId of await members.orgsOf(client)) {
      const found = await ownCache.get(`${orgId}/${slug}`);
      if (found) return found;
    }
    return null;
  }

  async function board(client: Client, path: string): Promise<void> {
    const [, slug, json, badge, monitor] = PATH.exec(path) ?? [];
    const open = slug === undefined ? null : await cache.get(slug);
    const answers = open ?? (slug === undefined ? null : await ownBoard(client, slug));
    const found = json
      ? answers?.json()
      : badge
        ? answers?.badge()
        : monitor
          ? answers?.monitor(monitor)
          : answers?.page();
    if (found) return send(client, 200, found, open ? SHORTLY : OWN);
    if (slug === undefined || json || badge || monitor) return refuse(client, NO_BOARD);
    send(client, 404, missing, 'no-store');
  }

  return {
    answer(client, path) {
      const asset = assets.get(path);
      if (asset) return send(client, 200, asset, FOR_EVER);
      board(client, path).catch((error: unknown) => {
        log.warn({ err: error, request_id: client.id }, 'a board could not be read');
        refuse(
          client,
          new Fault('overloaded', 'The board cannot be read right now.', { retryAfterMs: 5_000 }),
        );
      });
    },
  };
}

const NO_BOARD = new Fault('not_found', 'There is no public board here.');

/** What one board answers, each form made when it is first asked for. */
class Answers {
  readonly #view: BoardView;
  readonly #base: string;
  readonly #links: { readonly stylesheet: string; readonly icon: string };
  readonly #made = new Map<string, Sent>();

  constructor(view: BoardView, base: string, links: { readonly stylesheet: string; readonly icon: string }) {
    this.#view = view;
    this.#base = base;
    this.#links = links;
  }

  page(): Sent {
    const links = { ...this.#links, board: `${this.#base}/${this.#view.slug}` };
    return this.#once('page', HTML, () => boardPage(this.#view, links));
  }

  json(): Sent {
    return this.#once('json', JSON_TYPE, () => JSON.stringify(boardJson(this.#view)));
  }

  badge(): Sent {
    return this.#once('badge', SVG, () => boardBadge(this.#view));
  }

  /** Undefined for a monitor that is not on the board. */
  monitor(id: string): Sent | undefined {
    const shown = this.#view.groups.flatMap(({ monitors }) => monitors).find((monitor) => monitor.id === id);
    return shown && this.#once(`monitor ${id}`, SVG, () => monitorBadge(shown));
  }

  #once(name: string, type: string, text: () => string): Sent {
    const known = this.#made.get(name);
    if (known) return known;
    const sent = made(type, text());
    this.#made.set(name, sent);
    return sent;
  }
}

function made(type: string, text: string): Sent {
  const plain = Buffer.from(text);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, etag, plain, packed: gzipSync(plain) };
}

function send(client: Client, status: number, { type, etag, plain, packed }: Sent, caching: string): void {
  const isOwn = caching === OWN;
  const vary = isOwn ? 'accept-encoding, cookie' : 'accept-encoding';
  const headers = [...SAFETY, 'cache-control', caching, 'x-request-id', client.id, 'vary', vary];
  // Public already: other sites may read it and show it.
  if (type !== HTML && !isOwn)
    headers.push('access-control-allow-origin', '*', 'cross-origin-resource-policy', 'cross-origin');
  if (status === 200) {
    headers.push('etag', etag);
    if (matches(client.headers['if-none-match'], etag)) return client.answer(304, headers, '');
  }
  headers.push('content-type', type);
  if (!takesGzip(client.headers['accept-encoding'])) return client.answer(status, headers, plain);
  client.answer(status, [...headers, 'content-encoding', 'gzip'], packed);
}

function matches(asked: string | undefined, etag: string): boolean {
  if (asked === undefined) return false;
  return asked.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*');
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(accepted ?? ''));
}

function refuse(client: Client, fault: Fault): void {
  answerFault(client, fault, 'openai', [
    ...SAFETY,
    'cache-control',
    'no-store',
    'content-type',
    'application/json',
    'x-request-id',
    client.id,
  ]);
}
