import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buildFaultHeaders, formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../core/log.ts';
import { iterateForOrg, runForOrg } from '../core/org-context.ts';
import { matchesIfNoneMatch, type Preconditions } from '../management/entity-tags.ts';
import { EventStreamResponse } from '../management/event-stream-response.ts';
import { FileDownload, NDJSON_CONTENT_TYPE } from '../management/file-download.ts';
import { acceptsIdempotencyKey, type Operation } from '../management/operation.ts';
import {
  buildResourcePath,
  mapOperationsToResourceGetOperations,
} from '../management/resource-get-operations.ts';
import type { Actor } from '../platform/actor.ts';
import { hasCurrentAccess } from '../platform/current-access.ts';
import { createOperationRouteConfig, observeApiCalls } from './api-calls.ts';
import { API_REFERENCE_PATH, addApiDocumentationRoutes, OPENAPI_PATH } from './api-documentation-routes.ts';
import { toApiFault } from './api-faults.ts';
import type { ApiOptions } from './api-options.ts';
import { authorizeRequest, createEventStreamContext } from './authorize-request.ts';
import { BEAT_OPENAPI_SCHEMAS, buildBeatOpenApiPaths } from './beat-openapi.ts';
import { iterateWhileAllowed } from './download-access.ts';
import { fillSilenceWithSpaces } from './download-keep-alive.ts';
import { parseJsonBody } from './json-body.ts';
import { buildOpenApiDocument } from './openapi.ts';
import type { SessionOperation } from './sign-in/session-operation.ts';
import { addSessionRoutes } from './sign-in/session-routes.ts';

const BODY_LIMIT_BYTES = 1 << 20;
/** Ids have 30 characters. Names and slugs are shorter than this, too. */
const PARAM_LIMIT_CHARS = 200;

/** The application that handles the requests below `/api` and `/relay`. */
export interface ApiApplication {
  /** Handles one request whose path is below `/api` or `/relay`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/**
 * Builds the `/api` application from the list of operations: routes, authentication, scopes,
 * validation, errors and `GET /api/openapi.json`. Loads Fastify only when it is called, so that a
 * server can listen earlier. Responses are not filtered through their schemas. Each view lists its
 * fields, and tests validate each response against its schema.
 */
export async function createApi(options: ApiOptions): Promise<ApiApplication> {
  const { fastify } = await import('fastify');
  const app = fastify({
    logger: false,
    genReqId: (request: IncomingMessage) => options.requestIdOf(request),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: PARAM_LIMIT_CHARS },
    frameworkErrors: (error, request, reply) => sendFault(error, request, reply, options.log),
  });
  const sessionOperations = options.signIn?.operations ?? [];
  const allowedMethods = methodsByPath([...options.operations, ...sessionOperations]);
  const resources = mapOperationsToResourceGetOperations(options.operations);
  app.decorateRequest('actor', null);
  if (options.recordCall) observeApiCalls(app, options.host.clock, options.recordCall);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      parseJsonBody(body, 'cutsDeepValues' in request.routeOptions.config ? 'cut' : 'reject'),
  );
  app.setErrorHandler((error, request, reply) => sendFault(error, request, reply, options.log));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    // Before the body is read, so that an unknown path is a 404 with any body.
    if (request.is404) throw unknownPathFault(request, reply, allowedMethods);
    // An absent body has no content type. `curl -d ''` sends one.
    if (hasNoBody(request)) delete request.headers['content-type'];
  });
  for (const operation of options.operations)
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: {
        ...createOperationRouteConfig(operation.name),
        ...(operation.cutsDeepValues && { cutsDeepValues: true }),
      },
      onRequest: async (request, reply) => {
        request.setDecorator('actor', await authorizeRequest(options, operation, request, reply));
      },
      handler: createOperationHandler(operation, resources.get(operation), options),
    });
  if (options.signIn) addSessionRoutes(app, options.signIn);
  addApiDocumentationRoutes(app, () =>
    buildOpenApiDocument([...options.operations, ...sessionOperations], options.version, {
      otherPaths: buildBeatOpenApiPaths(),
      otherSchemas: BEAT_OPENAPI_SCHEMAS,
      prefix: options.prefix?.() ?? '',
    }),
  );
  await app.ready();
  return { handle: (request, response) => app.routing(request, response), close: () => app.close() };
}

function hasNoBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** Streams events as they occur. The response to HEAD has no body and ends immediately. */
async function sendEvents(request: FastifyRequest, reply: FastifyReply, stream: EventStreamResponse) {
  reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
  if (request.method === 'HEAD') {
    await stream.discard();
    return reply.send();
  }
  stream.endSignal.addEventListener('abort', () => reply.raw.destroy(), { once: true });
  return reply.send(Readable.from(stream.chunks));
}

/** Creates the handler that performs an operation and sends its response with the entity tag. */
function createOperationHandler(
  operation: Operation,
  resourceGetter: Operation | undefined,
  options: ApiOptions,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const input = {
      params: request.params,
      query: request.query,
      body: request.body,
      idempotencyKey: acceptsIdempotencyKey(operation) ? parseIdempotencyKey(request) : undefined,
      preconditions: parsePreconditions(request),
      streamContext: createEventStreamContext(options, operation, request),
    };
    const actor = request.getDecorator<Actor>('actor');
    const { answer, entityTag } = await runForOrg(actor.orgId, () =>
      operation.perform(options.host, actor, input, resourceGetter),
    );
    if (entityTag !== null) reply.header('etag', entityTag);
    if (
      entityTag !== null &&
      operation.method === 'GET' &&
      matchesIfNoneMatch(entityTag, input.preconditions)
    )
      return reply.code(304).send();
    if (operation.status === 201 && resourceGetter)
      reply.header(
        'location',
        `${options.prefix?.() ?? ''}${buildResourcePath(resourceGetter, input.params, answer)}`,
      );
    reply.code(operation.status);
    if (answer instanceof FileDownload)
      return sendDownload(request, reply, answer, () =>
        keepAlive(options, answer, iterateForActor(options, actor, answer.chunks)),
      );
    if (answer instanceof EventStreamResponse) return sendEvents(request, reply, answer);
    return operation.status === 204 ? reply.send() : answer;
  };
}

/**
 * Streams a file. An error closes the connection, so that an incomplete file is not taken for a complete one. For HEAD,
 * does not read the file.
 */
function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, filename }: FileDownload,
  openChunks: () => AsyncIterable<string>,
) {
  reply
    .type(contentType)
    .header('content-disposition', `attachment; filename="${filename}"`)
    .header('x-content-type-options', 'nosniff');
  return request.method === 'HEAD' ? reply.send() : reply.send(Readable.from(openChunks()));
}

/** Only NDJSON permits bytes without a meaning. CSV files start with their header line at once. */
function keepAlive(
  { host: { clock } }: ApiOptions,
  { contentType }: FileDownload,
  chunks: AsyncIterable<string>,
): AsyncIterable<string> {
  return contentType === NDJSON_CONTENT_TYPE ? fillSilenceWithSpaces(chunks, clock) : chunks;
}

function iterateForActor(
  { host: { database, clock }, signIn }: ApiOptions,
  actor: Actor,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string> {
  return iterateWhileAllowed(iterateForOrg(actor.orgId, chunks), clock, () =>
    hasCurrentAccess(database.read, actor, {
      nowMs: clock.now(),
      isActiveSession: (row) => signIn?.isActiveSession(row) ?? true,
    }),
  );
}

function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const fault = toApiFault(error, request.id, request.routeOptions?.bodyLimit ?? BODY_LIMIT_BYTES);
  if (fault.status === 500)
    log.error({ err: error, request_id: request.id, route: request.routeOptions?.url }, 'request failed');
  // Fastify closes the connection after a body that is too large, which would reset it before the client can
  // read the response.
  reply.removeHeader('connection');
  const headers = buildFaultHeaders(fault);
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] ?? '', headers[i + 1]);
  reply
    .code(fault.status)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(formatFaultBody(fault, request.id, 'openai'));
}

function parsePreconditions({ headers }: FastifyRequest): Preconditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
}

function parseIdempotencyKey(request: FastifyRequest): string | undefined {
  const value = request.headers['idempotency-key'];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > 255)
    throw new Fault('invalid_request', 'The header Idempotency-Key must be 1 to 255 characters long.', {
      param: 'Idempotency-Key',
    });
  return value;
}

type AllowedMethods = readonly { readonly pattern: RegExp; readonly methods: readonly string[] }[];

function methodsByPath(
  operations: readonly Pick<Operation | SessionOperation, 'path' | 'method'>[],
): AllowedMethods {
  const paths = new Map<string, string[]>([
    [OPENAPI_PATH, ['GET', 'HEAD']],
    [API_REFERENCE_PATH, ['GET', 'HEAD']],
  ]);
  for (const { path, method } of operations) {
    const methods = paths.get(path) ?? [];
    methods.push(method, ...(method === 'GET' ? ['HEAD'] : []));
    paths.set(path, methods);
  }
  return [...paths].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }));
}

function unknownPathFault(request: FastifyRequest, reply: FastifyReply, allowed: AllowedMethods): Fault {
  const path = request.url.split('?', 1)[0] ?? '';
  // A path may match a resource and an operation: `monitors/{id}` and `monitors/import`.
  const known = allowed.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
  if (known.length === 0)
    return new Fault('not_found', 'No endpoint exists at this path. See /api/openapi.json.');
  const methods = [...new Set(known)].join(', ');
  reply.header('allow', methods);
  return new Fault(
    'method_not_allowed',
    `${request.method} is not allowed on this path. Allowed: ${methods}.`,
  );
}
