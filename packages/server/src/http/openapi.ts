import { apiErrorBody } from '@floe/contract/api/errors';
import { JSON_VALUE_SCHEMA_ID } from '@floe/contract/json-value';
import { KEY_SCOPES } from '@floe/contract/scopes';
import * as z from 'zod';
import { resolveAllowedRoles } from '../management/access.ts';
import { eventStreamSchema } from '../management/event-stream-response.ts';
import { FILE_DOWNLOAD_CONTENT_TYPES } from '../management/file-download.ts';
import { acceptsIdempotencyKey, listAcceptedScopes, type Operation } from '../management/operation.ts';
import { mapOperationsToResourceGetOperations } from '../management/resource-get-operations.ts';
import type { SessionOperation } from './sign-in/session-operation.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The parts of the OpenAPI document that do not come from operations: other paths, their schemas, the path prefix. */
export interface OpenApiDocumentOptions {
  /** Paths that no operation serves, as the document describes them. */
  readonly otherPaths?: Readonly<Record<string, object>>;
  /** Components that these paths refer to. */
  readonly otherSchemas?: Readonly<Record<string, object>>;
  /** Path of the base URL, without a trailing slash. */
  readonly prefix?: string;
}

/**
 * Builds the OpenAPI 3.1 document for the given operations from their validation schemas. Schemas
 * with an `id` in their metadata become components.
 */
export function buildOpenApiDocument(
  operations: readonly (Operation | SessionOperation)[],
  version: string,
  { otherPaths = {}, otherSchemas = {}, prefix = '' }: OpenApiDocumentOptions = {},
) {
  const components: Record<string, JsonSchema> = {};
  const error = toJsonSchema(apiErrorBody, 'output', components);
  const resources = mapOperationsToResourceGetOperations(
    operations.filter((operation) => 'scope' in operation),
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] ?? {}, {
      [operation.method.toLowerCase()]: describeOperation(
        operation,
        'scope' in operation && resources.has(operation),
        error,
        components,
      ),
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Floe',
      version,
      description:
        'Management, monitoring, analytics, the relay and sign-in. Conventions: docs/reference/api.md; error codes: docs/reference/errors.md.',
    },
    servers: [{ url: prefix === '' ? '/' : prefix, description: 'This server, relative to the document.' }],
    paths: { ...paths, ...otherPaths },
    components: {
      schemas: { ...components, ...otherSchemas },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `Platform key; scopes: ${KEY_SCOPES.join(', ')}.`,
        },
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same platform key.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'floe_session',
          description:
            'A console session (see docs/guides/set-up-sign-in.md). If the base URL starts with https:// and has no path, the cookie name has the prefix `__Host-`. If the base URL contains a port, the cookie name ends with an underscore and the port.',
        },
      },
    },
    security: [{ bearer: [] }, { header: [] }, { session: [] }],
  };
}

function describeOperation(
  operation: Operation | SessionOperation,
  isTagged: boolean,
  error: JsonSchema,
  components: Record<string, JsonSchema>,
) {
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...describeAccess(operation),
    tags: [operation.name.slice(0, operation.name.indexOf('.'))],
    parameters: [
      ...describeParameters(operation.params, 'path', components),
      ...describeParameters(operation.query, 'query', components),
      ...('scope' in operation && acceptsIdempotencyKey(operation) ? [IDEMPOTENCY_KEY] : []),
      ...(isTagged ? preconditionHeaders(operation) : []),
    ],
    ...(operation.body && {
      requestBody: {
        required: true,
        content: jsonContent(namedRequestBody(operation, operation.body, components)),
      },
    }),
    responses: {
      [operation.status]:
        operation.status === 204 || operation.status === 303
          ? {
              description: operation.status === 204 ? 'Done.' : 'Redirect to the URL in the Location header.',
            }
          : {
              description: 'Success.',
              ...(operation.status === 201 && isTagged && { headers: LOCATION }),
              content: answerContent(operation, components),
            },
      ...Object.fromEntries(
        listErrorStatuses(operation, isTagged).map(([status, description]) => [
          status,
          { description, content: jsonContent(error) },
        ]),
      ),
      default: {
        description: 'The request was rejected or failed. `error.code` contains the reason.',
        content: jsonContent(error),
      },
    },
  };
}

/** The 4xx responses of an operation, depending on its input and effect. */
function listErrorStatuses(
  operation: Operation | SessionOperation,
  isTagged: boolean,
): readonly (readonly [number, string])[] {
  const { method, path } = operation;
  const isWrite = method !== 'GET';
  return [
    [400, 'The request is invalid. If the problem is in one field, `error.param` names this field.'],
    [401, 'Authentication is missing or invalid.'],
    [403, 'The caller does not have permission for the operation, or must step up first.'],
    ...(path.includes('{') ? [[404, 'The resource does not exist.'] as const] : []),
    ...(isWrite ? [[409, 'The request conflicts with the current state.'] as const] : []),
    ...(isWrite && isTagged && method !== 'POST' ? [[412, 'The resource has changed.'] as const] : []),
    [429, 'Too many requests. Retry later.'],
  ];
}

/**
 * The schema of a body as a component, named by its own id or else by the operation (`keys.create`:
 * `CreateKeyRequest`).
 */
function namedRequestBody(
  { name }: Pick<Operation, 'name'>,
  body: z.ZodType,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const schema = toJsonSchema(body, 'input', components);
  if (schema.$ref !== undefined) return schema;
  const [subject = '', ...words] = name.split('.');
  const singular = subject.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  const id = [...words, singular]
    .join('_')
    .replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  addComponent(components, `${id}Request`, schema);
  return { $ref: `#/components/schemas/${id}Request` };
}

const LOCATION = {
  Location: { description: 'URL of the created resource.', schema: { type: 'string' } },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'If you repeat a request with the same value within 24 hours, Floe creates nothing and returns the first response. A different request with the same value returns 409 `conflict`. The value of a platform key and the link of an invitation are shown only once: if you repeat the request that created or rotated the key or created the invitation, Floe returns 409 `conflict` with the id of the key or invitation.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** Describes who may use an operation, for readers and as extension fields. */
function describeAccess(operation: Operation | SessionOperation) {
  if ('scope' in operation)
    return {
      description: formatAccess(operation),
      'x-floe-roles': resolveAllowedRoles(operation),
      ...(operation.requiresOperator && { 'x-floe-operator': true }),
    };
  return { description: 'Used by the console. Requires no platform key.', security: [{}, { session: [] }] };
}

/** The parameters for `If-Match` and `If-None-Match`. */
function preconditionHeaders({ method }: Pick<Operation, 'method'>): unknown[] {
  const header = (name: string, effect: string) => ({
    name,
    in: 'header',
    required: false,
    description: `An \`ETag\` from an earlier response. ${effect}`,
    schema: { type: 'string' },
  });
  if (method === 'GET') return [header('If-None-Match', 'Floe returns 304 if the resource has not changed.')];
  if (method === 'POST') return [];
  return [header('If-Match', 'Floe returns 412 `precondition_failed` if the resource has changed.')];
}

function formatAccess(operation: Operation): string {
  const roles = resolveAllowedRoles(operation);
  return [
    formatKeyAccess(operation),
    roles.length === 0 ? 'Not available to members.' : `Members: ${roles.join(', ')}.`,
    ...(operation.requiresOperator ? ['Members must be operators of the installation.'] : []),
    ...(operation.requiresStepUp ? ['Members must step up first.'] : []),
  ].join(' ');
}

function formatKeyAccess(operation: Operation): string {
  if (operation.allowsPlatformKeys === false) return 'Not available to platform keys.';
  const scopes = listAcceptedScopes(operation).map((scope) => `\`${scope}\``);
  return scopes.length === 0
    ? 'Available to all platform keys.'
    : `Platform keys require the scope ${scopes.join(' or ')}.`;
}

function answerContent(operation: Operation | SessionOperation, components: Record<string, JsonSchema>) {
  if (operation.answer === eventStreamSchema) return { 'text/event-stream': { schema: { type: 'string' } } };
  const types = FILE_DOWNLOAD_CONTENT_TYPES.get(operation.answer);
  if (!types) return jsonContent(toJsonSchema(operation.answer, 'output', components));
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
}

function jsonContent(schema: JsonSchema) {
  return { 'application/json': { schema } };
}

function describeParameters(
  schema: z.ZodObject,
  where: 'path' | 'query',
  components: Record<string, JsonSchema>,
): unknown[] {
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', components);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: property,
  }));
}

/** Converts one schema. Schemas with an id move to `components` and are replaced by a reference. */
function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Record<string, JsonSchema>,
): JsonSchema {
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => omitNonStandardFormat(jsonSchema) });
  for (const [id, definition] of Object.entries($defs)) addComponent(components, id, definition);
  if (root.id === undefined) return rewriteReferences(root);
  addComponent(components, root.id, root);
  return { $ref: `#/components/schemas/${root.id}` };
}

/** zod emits formats of its own, such as `starts_with`. A pattern next to them has the same meaning. */
function omitNonStandardFormat(schema: JsonSchema): void {
  if (schema.format !== undefined && !STANDARD_FORMATS.has(schema.format)) delete schema.format;
}

const STANDARD_FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'date',
  'email',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
]);

/**
 * Generators of typed clients reject or misread a schema that refers to itself without an object in between.
 */
const ANY_JSON_VALUE: JsonSchema = { description: 'Any JSON value.' };

function addComponent(components: Record<string, JsonSchema>, id: string, definition: JsonSchema): void {
  const { id: _, ...schema } = id === JSON_VALUE_SCHEMA_ID ? ANY_JSON_VALUE : definition;
  const rewritten = rewriteReferences(schema);
  if (components[id] && JSON.stringify(components[id]) !== JSON.stringify(rewritten))
    throw new Error(`two different schemas are named ${id}`);
  components[id] = rewritten;
}

/** zod emits `#/$defs/X`. In an OpenAPI document, the schemas are under components. */
function rewriteReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (name, value) =>
    name === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
  );
}
