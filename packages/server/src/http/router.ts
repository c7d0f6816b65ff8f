import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '@floe/contract/faults';
import { ClientCall } from '../gateway/client-call.ts';
import { COMPACT_OPERATION } from '../gateway/compact-conversation.ts';
import {
  COUNT_MESSAGES_TOKENS_OPERATION,
  COUNT_RESPONSES_TOKENS_OPERATION,
} from '../gateway/count-tokens.ts';
import { EMBEDDINGS_OPERATION } from '../gateway/embeddings.ts';
import { createGenerationOperation } from '../gateway/generation-operation.ts';
import { handleExchange } from '../gateway/handle-exchange.ts';
import { createIdeRequestHandler, IDE_BASE_PATH } from '../gateway/ide/ide-adapter.ts';
import type { createModelEndpoints } from '../gateway/model-endpoints.ts';
import { rejectNonExchangeRequest } from '../gateway/non-exchange-request.ts';
import { createOpaqueOperation } from '../gateway/opaque/opaque-operation.ts';
import type { ApiStyle } from '../gateway/opaque/resource-reference.ts';
import { UNIFIED_OPAQUE_API } from '../gateway/opaque/unified-opaque-api.ts';
import type { GatewayOperation } from '../gateway/operation.ts';
import type { PassthroughHandler } from '../gateway/passthrough/passthrough.ts';
import { buildRequestIdHeaders } from '../gateway/response-headers.ts';
import { sendFaultResponse } from '../gateway/send-error.ts';
import type { SharedGatewayDependencies } from '../gateway/shared-gateway-dependencies.ts';
import type { createStoredResponseEndpoints } from '../gateway/stored/stored-response-endpoints.ts';
import { CHAT_SURFACE, MESSAGES_SURFACE, RESPONSES_SURFACE } from '../gateway/surface.ts';
import type { BeatRoutes } from './beat-routes.ts';
import type { BoardRoutes } from './boards/board-routes.ts';
import type { ConsoleRoutes } from './console-routes.ts';
import type { ExchangeRoute } from './fast-path/exchange-route.ts';
import { getUrlPath, HEARTBEAT_PATH, resolveErrorFormatForPath } from './listener-surfaces.ts';
import { NodeHttpTransport } from './node-http-transport.ts';
import type { ListenerHandler } from './server.ts';

/** The handlers that the router dispatches to. */
export interface RouterDependencies {
  readonly gateway: SharedGatewayDependencies;
  readonly lists: ReturnType<typeof createModelEndpoints>;
  readonly passthrough: PassthroughHandler;
  readonly responses: ReturnType<typeof createStoredResponseEndpoints>;
  /** Handles all requests below `/api` and `/relay`, including unknown paths. */
  readonly api: (req: IncomingMessage, res: ServerResponse, requestId: string) => void;
  readonly operations: OperationalRoutes;
  readonly beats: BeatRoutes;
  readonly boards: BoardRoutes;
  readonly console: ConsoleRoutes;
}

/** Handlers of plain-text pages for people who operate Floe. Each handler sends a complete response. */
export interface OperationalRoutes {
  readonly health: (client: ClientCall) => void;
  readonly ready: (client: ClientCall) => void;
  readonly metrics: (client: ClientCall) => void;
  readonly home: (client: ClientCall) => void;
}

type RouteHandler = (client: ClientCall, path: string, url: string) => void;
type Method = 'GET' | 'POST' | 'DELETE';
type Route = Partial<Record<Method, RouteHandler>>;

const GATEWAY_V1 = '/gateway/v1';
const MODELS = `${GATEWAY_V1}/models`;
const PASSTHROUGH_BASE = '/gateway/passthrough-a';
const PASSTHROUGH_PATH = /^\/gateway\/passthrough-([ab])\//;
const OPAQUE_PATH =
  /^\/gateway\/v1\/(?:completions\/?$|(?:images|audio|moderations|rerank|files|batches)(?:\/|$))/;

function isPassthroughStyle(text: string | undefined): text is ApiStyle {
  return text === 'a' || text === 'b';
}

const STORED_RESPONSE_PATH = /^\/gateway\/v1\/responses\/([^/]+)(?:\/(input_items|cancel))?\/?$/;

/** Creates the handler that dispatches requests by path and method. */
export function createRouter(dependencies: RouterDependencies): ListenerHandler {
  const { gateway, lists, responses, operations, beats } = dependencies;
  const routeSubtree = createSubtreeRouter(dependencies);
  const exchangeRoutesByPath = exchangeRoutes(gateway);
  const routes = new Map<string, Route>([
    ...Array.from(exchangeRoutesByPath.values(), ({ path, answer }): [string, Route] => [
      path,
      { POST: answer },
    ]),
    [MODELS, { GET: (client) => lists.models(client) }],
    ['/gateway/v1/key', { GET: lists.key }],
    ['/healthz', { GET: operations.health }],
    ['/readyz', { GET: operations.ready }],
    ['/metrics', { GET: operations.metrics }],
  ]);

  function findRoute(path: string): Route | undefined {
    const route = routes.get(path) ?? (path.endsWith('/') ? routes.get(path.slice(0, -1)) : undefined);
    if (path.startsWith('/boards/')) return { GET: dependencies.boards.answer };
    if (route) return route;
    if (dependencies.console.matches(path)) return { GET: dependencies.console.answer };
    const stored = STORED_RESPONSE_PATH.exec(path);
    if (stored) return storedResponseRoute(responses, decodePathSegment(stored[1] ?? ''), stored[2]);
    if (!path.startsWith(`${MODELS}/`)) return undefined;
    return { GET: (client) => lists.model(client, decodePathSegment(path.slice(MODELS.length + 1))) };
  }

  /** Only requests to the gateway have a line in the access log. */
  function reject(client: ClientCall, path: string, fault: Fault, headers: readonly string[]): void {
    const errorFormat = resolveErrorFormatForPath(path);
    if (path.startsWith('/gateway/'))
      return rejectNonExchangeRequest(client, gateway, fault, { routeMode: 'unified', errorFormat, headers });
    const json = ['content-type', 'application/json', ...buildRequestIdHeaders(client.id, errorFormat)];
    sendFaultResponse(client, fault, errorFormat, [...json, ...headers]);
  }

  const onRequest: ListenerHandler['onRequest'] = (req, res, requestId) => {
    const path = getUrlPath(req.url ?? '/');
    const beat =
      path === HEARTBEAT_PATH ? beats.heartbeat : path.startsWith('/beat/') ? beats.matchBeatUrl(path) : null;
    if (beat) return void beat(req, res, requestId);
    if (path === '/api' || path.startsWith('/api/') || path.startsWith('/relay/'))
      return dependencies.api(req, res, requestId);
    const client = new ClientCall(requestId, new NodeHttpTransport(req, res, gateway.clock));
    if (isWebSocketUpgrade(req) && path.startsWith('/gateway/'))
      return reject(client, path, NO_WEBSOCKET, ['upgrade', 'HTTP/1.1']);
    const route = findRoute(path);
    if (!route && routeSubtree(client, path)) return;
    const answer = route && findHandler(req, route);
    if (answer) return answer(client, path, req.url ?? '');
    const fault = route ? methodNotAllowedFault(req.method ?? '', path, route) : unknownPathFault(path);
    reject(client, path, fault, route ? ['allow', allowHeader(route)] : []);
  };
  return { onRequest, findExchangeRoute: (target) => exchangeRoutesByPath.get(target) };
}

/** The paths of model requests with their operations. */
function exchangeRoutes(gateway: SharedGatewayDependencies): ReadonlyMap<string, ExchangeRoute> {
  const exchangeRoute = (path: string, operation: GatewayOperation): ExchangeRoute => ({
    path,
    answer: (client) => void handleExchange(client, operation, gateway),
  });
  const routes: readonly ExchangeRoute[] = [
    exchangeRoute(`${GATEWAY_V1}/chat/completions`, createGenerationOperation(CHAT_SURFACE)),
    exchangeRoute(`${GATEWAY_V1}/responses`, createGenerationOperation(RESPONSES_SURFACE)),
    exchangeRoute(`${GATEWAY_V1}/responses/compact`, COMPACT_OPERATION),
    exchangeRoute(`${GATEWAY_V1}/responses/input_tokens`, COUNT_RESPONSES_TOKENS_OPERATION),
    exchangeRoute(`${GATEWAY_V1}/messages`, createGenerationOperation(MESSAGES_SURFACE)),
    exchangeRoute(`${GATEWAY_V1}/messages/count_tokens`, COUNT_MESSAGES_TOKENS_OPERATION),
    exchangeRoute(`${GATEWAY_V1}/embeddings`, EMBEDDINGS_OPERATION),
  ];
  return new Map(routes.map((place) => [place.path, place]));
}

/** Handles prefixes that no table lists, for all methods. Returns true if a path matched one. */
function createSubtreeRouter({
  gateway,
  lists,
  passthrough,
}: RouterDependencies): (client: ClientCall, path: string) => boolean {
  const ide = createIdeRequestHandler(gateway, lists);
  return (client, path) => {
    if (!path.startsWith('/gateway/')) return false;
    const query = client.target.indexOf('?');
    const rest = query === -1 ? path : path + client.target.slice(query);
    const [, style] = PASSTHROUGH_PATH.exec(path) ?? [];
    if (path === IDE_BASE_PATH || path.startsWith(`${IDE_BASE_PATH}/`)) ide(client, path);
    else if (isPassthroughStyle(style)) passthrough(client, style, rest.slice(PASSTHROUGH_BASE.length));
    else if (OPAQUE_PATH.test(path))
      void handleExchange(
        client,
        createOpaqueOperation(client.method, UNIFIED_OPAQUE_API, rest.slice(GATEWAY_V1.length)),
        gateway,
      );
    else return false;
    return true;
  };
}

/** The route of a stored response and of the paths below it. */
function storedResponseRoute(
  responses: RouterDependencies['responses'],
  id: string,
  below: string | undefined,
): Route {
  if (below === 'input_items')
    return { GET: (client, _, url) => responses.inputItems(client, id, parseQuery(url)) };
  if (below === 'cancel') return { POST: (client, _, url) => responses.cancel(client, id, parseQuery(url)) };
  return {
    GET: (client, _, url) => responses.get(client, id, parseQuery(url)),
    DELETE: (client, _, url) => responses.remove(client, id, parseQuery(url)),
  };
}

function parseQuery(url: string): URLSearchParams {
  const query = url.indexOf('?');
  return new URLSearchParams(query === -1 ? '' : url.slice(query + 1));
}

function findHandler({ method }: IncomingMessage, route: Route): RouteHandler | undefined {
  if (method === 'HEAD') return route.GET;
  return method === 'GET' || method === 'POST' || method === 'DELETE' ? route[method] : undefined;
}

const NO_WEBSOCKET = new Fault(
  'websocket_unsupported',
  'WebSockets are not supported. Send the request with POST instead. Floe can stream the response as server-sent events.',
);

function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function decodePathSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed percent sequence. No model has that id, so the response is a 404.
    return text;
  }
}

function unknownPathFault(path: string): Fault {
  return new Fault(
    'not_found',
    `No endpoint exists at ${path.slice(0, 200)}. The base URL ends in /gateway/v1 for OpenAI clients, and in /gateway for Anthropic SDKs and Claude Code.`,
  );
}

/** The `allow` header. HEAD is allowed wherever GET is. */
function allowHeader(route: Route): string {
  return Object.keys(route).join(', ').replace('GET', 'GET, HEAD');
}

function methodNotAllowedFault(method: string, path: string, route: Route): Fault {
  return new Fault(
    'method_not_allowed',
    `${method} is not allowed on ${path}. Allowed: ${allowHeader(route)}.`,
  );
}
