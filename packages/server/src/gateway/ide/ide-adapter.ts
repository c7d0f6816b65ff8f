import { Fault } from '@floe/contract/faults';
import type { ClientCall } from '../client-call.ts';
import { createGenerationOperation } from '../generation-operation.ts';
import { handleExchange } from '../handle-exchange.ts';
import type { createModelEndpoints } from '../model-endpoints.ts';
import { rejectNonExchangeRequest } from '../non-exchange-request.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { createDeploymentSurface, IDE_SURFACE } from './ide-surface.ts';

/** The base path of the IDE adapter's endpoints. */
export const IDE_BASE_PATH = '/gateway/ide-adapter';

const CHAT_PATH = /^(?:\/v1)?\/chat\/completions$/;
const MODELS_PATH = /^(?:\/v1)?\/models$/;
const MODEL_PATH = /^(?:\/v1)?\/models\/(.+)$/;
const DEPLOYMENT_PATH = /^\/openai\/deployments\/(.+)\/chat\/completions$/;

/** A list of header names that RFC 9110 permits. */
const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
const USUAL_HEADERS = 'authorization, content-type, api-key, x-api-key';
const EXPOSED = 'x-request-id, x-floe-error-source, x-floe-dropped, retry-after';

const IDE_CHAT_OPERATION = createGenerationOperation(IDE_SURFACE);
const createDeploymentOperation = (name: string) => createGenerationOperation(createDeploymentSurface(name));

type Lists = Pick<ReturnType<typeof createModelEndpoints>, 'models' | 'model'>;

/** Handles a request below the IDE adapter's base path. `path` excludes the query. */
export type IdeRequestHandler = (client: ClientCall, path: string) => void;

/**
 * Creates the IDE adapter. It serves Chat Completions under every path that IDEs derive from a base
 * URL, the model list, and the CORS preflight requests that browser-based IDEs send. For any other
 * path, it responds with 404 in the OpenAI format.
 */
export function createIdeRequestHandler(gateway: SharedGatewayDependencies, lists: Lists): IdeRequestHandler {
  const reject = (client: ClientCall, fault: Fault, headers: readonly string[]) =>
    rejectNonExchangeRequest(client, gateway, fault, { routeMode: 'ide', errorFormat: 'openai', headers });
  return (client, path) => {
    // Any origin is allowed, because requests authenticate with the key in a header. Cookies are never read.
    client.setHeader('access-control-allow-origin', '*');
    client.setHeader('access-control-expose-headers', EXPOSED);
    const place = parseIdePath(path);
    const { method } = client;
    if (place === null) return reject(client, unknownPathFault(path), []);
    if (method === 'OPTIONS') return answerPreflight(client, place.method);
    if (method !== place.method && !(method === 'HEAD' && place.method === 'GET'))
      return reject(client, wrongMethodFault(method, path, allowedMethods(place.method)), [
        'allow',
        allowedMethods(place.method),
      ]);
    switch (place.kind) {
      case 'chat':
        return void handleExchange(
          client,
          place.model === '' ? IDE_CHAT_OPERATION : createDeploymentOperation(place.model),
          gateway,
        );
      case 'models':
        return lists.models(client, 'ide');
      case 'model':
        return lists.model(client, place.model, 'ide');
    }
  };
}

interface IdeEndpoint {
  readonly kind: 'chat' | 'models' | 'model';
  readonly method: 'GET' | 'POST';
  /** The model in the path; empty if there is none. */
  readonly model: string;
}

/** Parses the path of an IDE request. Returns null for an unknown path. */
function parseIdePath(path: string): IdeEndpoint | null {
  const below = path.slice(IDE_BASE_PATH.length).replace(/\/$/, '');
  if (CHAT_PATH.test(below)) return { kind: 'chat', method: 'POST', model: '' };
  if (MODELS_PATH.test(below)) return { kind: 'models', method: 'GET', model: '' };
  const listed = MODEL_PATH.exec(below)?.[1];
  if (listed !== undefined) return { kind: 'model', method: 'GET', model: decodePathSegment(listed) };
  const deployment = DEPLOYMENT_PATH.exec(below)?.[1];
  return deployment === undefined
    ? null
    : { kind: 'chat', method: 'POST', model: decodePathSegment(deployment) };
}

function decodePathSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An invalid percent-encoding. No model has this id, so the response is an error.
    return text;
  }
}

/** Responds to a CORS preflight (Fetch standard, "CORS-preflight request"). */
function answerPreflight(client: ClientCall, method: string): void {
  const wanted = client.headers['access-control-request-headers'];
  client.sendAnswer(
    204,
    [
      ...['x-request-id', client.id],
      ...['access-control-allow-methods', `${allowedMethods(method)}, OPTIONS`],
      // `*` would not include `authorization`.
      ...['access-control-allow-headers', wanted && HEADER_LIST.test(wanted) ? wanted : USUAL_HEADERS],
      ...['access-control-max-age', '86400'],
      ...['vary', 'access-control-request-headers'],
    ],
    '',
  );
}

function allowedMethods(method: string): string {
  return method === 'GET' ? 'GET, HEAD' : method;
}

function unknownPathFault(path: string): Fault {
  return new Fault(
    'not_found',
    `No endpoint exists at ${path.slice(0, 200)}. The IDE adapter serves POST ${IDE_BASE_PATH}/chat/completions and GET ${IDE_BASE_PATH}/models. Set the base URL of the IDE to the URL of Floe followed by ${IDE_BASE_PATH}.`,
  );
}

function wrongMethodFault(method: string, path: string, allowed: string): Fault {
  return new Fault(
    'method_not_allowed',
    `${method} is not allowed on ${path.slice(0, 200)}. Allowed: ${allowed}.`,
  );
}
