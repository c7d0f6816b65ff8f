import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { faultBody, faultHeaders } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../core/log.ts';
import { requireAccess } from '../management/access.ts';
import { Download } from '../management/download.ts';
import type { Verb, VerbHost } from '../management/verb.ts';
import type { Actor } from '../platform/actor.ts';
import type { PresentedHeaders } from '../platform/key-format.ts';
import { addDescription, OPENAPI_PATH, REFERENCE_PATH } from './api-description.ts';
import { faultOf } from './api-faults.ts';
import { openApiDocument } from './openapi.ts';

const BODY_LIMIT_BYTES = 1 << 20;
/** Ids have 30 characters; names and slugs stay under this too. */
const PARAM_LIMIT_CHARS = 200;

export interface ApiOptions {
  readonly verbs: readonly Verb[];
  readonly host: VerbHost;
  readonly log: Log;
  /** Version of the program, for the OpenAPI document. */
  readonly version: string;
  /** @throws Fault of status 401 */
  authenticate(headers: PresentedHeaders): Actor;
  /** The id the server gave this request when it arrived. */
  requestIdOf(request: IncomingMessage): string;
}

export interface Api {
  /** Answers one request whose path is under `/api`. */
  routing(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/**
 * Builds the `/api` edge from the list of verbs: routes, authentication, scopes, validation, errors and
 * `GET /api/openapi.json`. Fastify is loaded here and not with this module, so a server can listen first.
 *
 * Answers are not filtered through their schemas: every view names its fields one by one and the tests hold
 * each answer against its schema.
 */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { fastify } = await import('fastify');
  const app = fastify({
    logger: false,
    genReqId: (request: IncomingMessage) => options.requestIdOf(request),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: PARAM_LIMIT_CHARS },
    frameworkErrors: (error, request, reply) => refuse(error, request, reply, options.log),
  });
  const allowedMethods = methodsByPath(options.verbs);
  app.decorateRequest('actor', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => parseJson(body),
  );
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply, options.log));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    // Before the body is read: an unknown path is a 404 whatever comes with it.
    if (request.is404) throw unknownPath(request, reply, allowedMethods);
  });
  for (const verb of options.verbs)
    app.route({
      method: verb.method,
      url: verb.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: async (request) => {
        const actor = options.authenticate(request.headers);
        requireAccess(verb, actor, options.host.clock.now());
        request.setDecorator('actor', actor);
      },
      handler: async (request, reply) => {
        const answer = await verb.perform(options.host, request.getDecorator<Actor>('actor'), {
          params: request.params,
          query: request.query,
          body: request.body,
          idempotencyKey: verb.idempotent && idempotencyKey(request),
        });
        reply.code(verb.status);
        if (answer instanceof Download) return sendDownload(reply, answer);
        if (verb.tagged) return sendTagged(request, reply, answer);
        return verb.status === 204 ? reply.send() : answer;
      },
    });
  addDescription(app, () => openApiDocument(options.verbs, options.version));
  await app.ready();
  return { routing: (request, response) => app.routing(request, response), close: () => app.close() };
}

/** Sent as it is made; an error on the way breaks the connection, so that half a file does not look whole. */
function sendDownload(reply: FastifyReply, { contentType, filename, parts }: Download) {
  return reply
    .type(contentType)
    .header('content-disposition', `attachment; filename="${filename}"`)
    .header('x-content-type-options', 'nosniff')
    .send(Readable.from(parts));
}

/** RFC 9110, section 13.1.2; a weak tag names the same thing here. */
function sendTagged(request: FastifyRequest, reply: FastifyReply, answer: unknown) {
  const body = JSON.stringify(answer);
  const tag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  reply.header('etag', tag).type('application/json; charset=utf-8');
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*') ? reply.code(304).send() : reply.send(body);
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const fault = faultOf(error, request.id);
  if (fault.status === 500)
    log.error({ err: error, request_id: request.id, route: request.routeOptions?.url }, 'request failed');
  // Fastify closes after a body that is too large, which would reset the sender before it can read why.
  reply.removeHeader('connection');
  const headers = faultHeaders(fault);
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] ?? '', headers[i + 1]);
  reply
    .code(fault.status)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(faultBody(fault, request.id, 'openai'));
}

/** @throws Fault `invalid_json`; an empty body is no body, for clients that label every request as JSON */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(UTF8.decode(body));
  } catch (cause) {
    throw new Fault('invalid_json', 'The body is not valid JSON in UTF-8.', { cause });
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function idempotencyKey(request: FastifyRequest): string | undefined {
  const value = request.headers['idempotency-key'];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > 255)
    throw new Fault('invalid_request', 'An Idempotency-Key has 1 to 255 characters.', {
      param: 'Idempotency-Key',
    });
  return value;
}

type AllowedMethods = readonly { readonly pattern: RegExp; readonly methods: readonly string[] }[];

function methodsByPath(verbs: readonly Verb[]): AllowedMethods {
  const paths = new Map<string, string[]>([
    [OPENAPI_PATH, ['GET', 'HEAD']],
    [REFERENCE_PATH, ['GET', 'HEAD']],
  ]);
  for (const { path, method } of verbs) {
    const methods = paths.get(path) ?? [];
    methods.push(method, ...(method === 'GET' ? ['HEAD'] : []));
    paths.set(path, methods);
  }
  return [...paths].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }));
}

function unknownPath(request: FastifyRequest, reply: FastifyReply, allowed: AllowedMethods): Fault {
  const path = request.url.split('?', 1)[0] ?? '';
  const known = allowed.find(({ pattern }) => pattern.test(path));
  if (!known) return new Fault('not_found', 'Nothing answers at this path. See /api/openapi.json.');
  reply.header('allow', known.methods.join(', '));
  return new Fault(
    'method_not_allowed',
    `${request.method} is not possible here; ${known.methods.join(', ')}.`,
  );
}
