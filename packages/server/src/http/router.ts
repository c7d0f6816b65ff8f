import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '@floe/contract/faults';
import { Client } from '../gateway/client.ts';
import { TOKEN_COUNT } from '../gateway/count-tokens.ts';
import { EMBEDDINGS } from '../gateway/embeddings.ts';
import { exchange } from '../gateway/exchange.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { generation } from '../gateway/generation.ts';
import { createIdeAdapter, IDE_BASE } from '../gateway/ide/adapter.ts';
import type { createLists } from '../gateway/lists.ts';
import { opaqueOperation } from '../gateway/opaque/opaque-operation.ts';
import type { Style } from '../gateway/opaque/resource-path.ts';
import { UNIFIED } from '../gateway/opaque/unified.ts';
import type { Operation } from '../gateway/operation.ts';
import type { Passthrough } from '../gateway/passthrough/passthrough.ts';
import { answerFault } from '../gateway/send-error.ts';
import type { createStoredResponses } from '../gateway/stored/responses-api.ts';
import { CHAT, MESSAGES, RESPONSES } from '../gateway/surface.ts';
import type { BeatRoutes } from './beat-routes.ts';
import type { BoardRoutes } from './boards/board-routes.ts';
import type { ConsoleRoutes } from './console.ts';
import { NodeCarrier } from './node-carrier.ts';
import type { ExchangePlace } from './plain/exchange-place.ts';
import type { Entrance } from './server.ts';
import { HEARTBEAT, pathIn, shapeOf } from './surfaces.ts';

/** What stands behind the paths. */
export interface Rooms {
  readonly gateway: Gateway;
  readonly lists: ReturnType<typeof createLists>;
  readonly passthrough: Passthrough;
  readonly responses: ReturnType<typeof createStoredResponses>;
  /** `/api` and `/relay`: answers everything below them, unknown paths included. */
  readonly api: (req: IncomingMessage, res: ServerResponse, requestId: string) => void;
  readonly operations: Operations;
  readonly beats: BeatRoutes;
  readonly boards: BoardRoutes;
  readonly console: ConsoleRoutes;
}

/** Plain pages for operators; each answers the request whole. */
export interface Operations {
  readonly health: (client: Client) => void;
  readonly ready: (client: Client) => void;
  readonly metrics: (client: Client) => void;
  readonly home: (client: Client) => void;
}

type Answer = (client: Client, path: string, url: string) => void;
type Method = 'GET' | 'POST' | 'DELETE';
type Route = Partial<Record<Method, Answer>>;

const V1 = '/gateway/v1';
const MODELS = `${V1}/models`;
const PASSTHROUGH_BASE = '/gateway/passthrough-a';
const PASSTHROUGH = /^\/gateway\/passthrough-([ab])\//;
const OPAQUE = /^\/gateway\/v1\/(?:images|audio|moderations|rerank|files|batches)(?:\/|$)/;

function isStyle(text: string | undefined): text is Style {
  return text === 'a' || text === 'b';
}

const STORED = /^\/gateway\/v1\/responses\/([^/]+)(?:\/(input_items|cancel))?\/?$/;

/** From a path to its room. */
export function createRouter(rooms: Rooms): Entrance {
  const { gateway, lists, responses, operations, beats } = rooms;
  const passesBelow = pathsBelow(rooms);
  const places = exchangePlaces(gateway);
  const routes = new Map<string, Route>([
    ...Array.from(places.values(), ({ path, answer }): [string, Route] => [path, { POST: answer }]),
    [MODELS, { GET: lists.models }],
    ['/gateway/v1/key', { GET: lists.key }],
    ['/healthz', { GET: operations.health }],
    ['/readyz', { GET: operations.ready }],
    ['/metrics', { GET: operations.metrics }],
  ]);

  function routeOf(path: string): Route | undefined {
    const route = routes.get(path) ?? (path.endsWith('/') ? routes.get(path.slice(0, -1)) : undefined);
    if (path.startsWith('/boards/')) return { GET: rooms.boards.answer };
    if (route) return route;
    if (rooms.console.owns(path)) return { GET: rooms.console.answer };
    const stored = STORED.exec(path);
    if (stored) return storedRoute(responses, decode(stored[1] ?? ''), stored[2]);
    if (!path.startsWith(`${MODELS}/`)) return undefined;
    return { GET: (client) => lists.model(client, decode(path.slice(MODELS.length + 1))) };
  }

  const onRequest: Entrance['onRequest'] = (req, res, requestId) => {
    const path = pathIn(req.url ?? '/');
    const beat =
      path === HEARTBEAT ? beats.heartbeat : path.startsWith('/beat/') ? beats.beatUrl(path) : null;
    if (beat) return void beat(req, res, requestId);
    if (path === '/api' || path.startsWith('/api/') || path.startsWith('/relay/'))
      return rooms.api(req, res, requestId);
    const client = new Client(requestId, new NodeCarrier(req, res, gateway.clock));
    const headers = ['content-type', 'application/json', 'x-request-id', requestId];
    if (wantsWebSocket(req) && path.startsWith('/gateway/'))
      return answerFault(client, NO_WEBSOCKET, shapeOf(path), [...headers, 'upgrade', 'HTTP/1.1']);
    const route = routeOf(path);
    if (!route && passesBelow(client, path)) return;
    const answer = route && methodOf(req, route);
    if (answer) return answer(client, path, req.url ?? '');
    const fault = route ? wrongMethod(req.method ?? '', path) : unknownPath(path);
    if (route) headers.push('allow', allowed(route));
    answerFault(client, fault, shapeOf(path), headers);
  };
  return { onRequest, placeOf: (target) => places.get(target) };
}

/** Where models are asked, by path. */
function exchangePlaces(gateway: Gateway): ReadonlyMap<string, ExchangePlace> {
  const speaking = (path: string, operation: Operation): ExchangePlace => ({
    path,
    answer: (client) => void exchange(client, operation, gateway),
  });
  const places: readonly ExchangePlace[] = [
    speaking(`${V1}/chat/completions`, generation(CHAT)),
    speaking(`${V1}/responses`, generation(RESPONSES)),
    speaking(`${V1}/messages`, generation(MESSAGES)),
    speaking(`${V1}/messages/count_tokens`, TOKEN_COUNT),
    speaking(`${V1}/embeddings`, EMBEDDINGS),
  ];
  return new Map(places.map((place) => [place.path, place]));
}

/** Whole trees of paths that no table lists, whatever the method; true when a path was in one. */
function pathsBelow({ gateway, lists, passthrough }: Rooms): (client: Client, path: string) => boolean {
  const ide = createIdeAdapter(gateway, lists);
  return (client, path) => {
    if (!path.startsWith('/gateway/')) return false;
    const query = client.target.indexOf('?');
    const rest = query === -1 ? path : path + client.target.slice(query);
    const [, style] = PASSTHROUGH.exec(path) ?? [];
    if (path === IDE_BASE || path.startsWith(`${IDE_BASE}/`)) ide(client, path);
    else if (isStyle(style)) passthrough(client, style, rest.slice(PASSTHROUGH_BASE.length));
    else if (OPAQUE.test(path))
      void exchange(client, opaqueOperation(client.method, UNIFIED, rest.slice(V1.length)), gateway);
    else return false;
    return true;
  };
}

/** A stored Responses answer, and what stands below it. */
function storedRoute(responses: Rooms['responses'], id: string, below: string | undefined): Route {
  if (below === 'input_items')
    return { GET: (client, _, url) => responses.inputItems(client, id, queryOf(url)) };
  if (below === 'cancel') return { POST: (client, _, url) => responses.cancel(client, id, queryOf(url)) };
  return {
    GET: (client, _, url) => responses.get(client, id, queryOf(url)),
    DELETE: (client, _, url) => responses.remove(client, id, queryOf(url)),
  };
}

function queryOf(url: string): URLSearchParams {
  const query = url.indexOf('?');
  return new URLSearchParams(query === -1 ? '' : url.slice(query + 1));
}

function methodOf({ method }: IncomingMessage, route: Route): Answer | undefined {
  if (method === 'HEAD') return route.GET;
  return method === 'GET' || method === 'POST' || method === 'DELETE' ? route[method] : undefined;
}

const NO_WEBSOCKET = new Fault(
  'websocket_unsupported',
  'WebSockets are not spoken here. Send the same request with POST; answers stream as server-sent events.',
);

function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: no model has that id, and the answer will say so.
    return text;
  }
}

function unknownPath(path: string): Fault {
  return new Fault(
    'not_found',
    `There is nothing at ${path.slice(0, 200)}. The gateway's base address ends in /gateway/v1.`,
  );
}

/** HEAD is answered wherever GET is. */
function allowed(route: Route): string {
  return Object.keys(route).join(', ').replace('GET', 'GET, HEAD');
}

function wrongMethod(method: string, path: string): Fault {
  return new Fault('method_not_allowed', `${method} is not allowed on ${path}.`);
}
