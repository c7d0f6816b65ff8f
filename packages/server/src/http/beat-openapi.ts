import { MAX_STORED_BEAT_BODY_BYTES } from '../monitoring/beat-url.ts';
import { MAX_BEAT_METADATA_BYTES, MAX_HEARTBEAT_BODY_BYTES } from '../monitoring/parse-heartbeat.ts';

const ERROR_RESPONSE = {
  description: 'The request was rejected or failed. `error.code` contains the reason.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

const CLIENT_ERRORS = {
  400: ERROR_RESPONSE,
  401: ERROR_RESPONSE,
  403: ERROR_RESPONSE,
  404: ERROR_RESPONSE,
  429: ERROR_RESPONSE,
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Beats of the same kind for the same monitor that are sent with the same value within 48 hours count as one beat.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const dateTimeSchema = { type: 'string', format: 'date-time' };

const heartbeatRequest = {
  type: 'object',
  required: ['monitor_id'],
  properties: {
    monitor_id: { type: 'string', minLength: 1 },
    metadata: {
      type: 'object',
      description: `Additional data to store with the beat, at most ${MAX_BEAT_METADATA_BYTES / 1024} KB of JSON.`,
    },
  },
};

/** The component schemas that the result of `buildBeatOpenApiPaths` refers to, by name. */
export const BEAT_OPENAPI_SCHEMAS = { SendBeatsRequest: heartbeatRequest };

/**
 * Returns the OpenAPI paths of the endpoints that accept beats. They are not defined as API
 * operations (decisions/0021-batched-beats-with-acknowledgement-after-commit.md).
 */
export function buildBeatOpenApiPaths(): Record<string, object> {
  return {
    '/api/monitoring/heartbeat': { post: heartbeatOperation() },
    '/beat/{token}': beatUrlOperations('beats.signal', 'the job succeeded', []),
    '/beat/{token}/{signal}': beatUrlOperations(
      'beats.signal_kind',
      '`start`, `fail`, `log` or an exit status',
      [
        {
          name: 'signal',
          in: 'path',
          required: true,
          description:
            'What the job reports: a run started (`start`), failed (`fail`), logged a line (`log`), or ended with the given exit status.',
          schema: {
            type: 'string',
            pattern: '^(start|fail|log|[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$',
          },
        },
      ],
    ),
  };
}

function heartbeatOperation() {
  const answer = {
    type: 'object',
    required: ['ok', 'monitor_id', 'beat_id', 'received_at', 'status', 'next_due_at'],
    properties: {
      ok: { const: true },
      monitor_id: { type: 'string' },
      beat_id: { type: 'string' },
      received_at: dateTimeSchema,
      status: { enum: ['waiting', 'healthy', 'failing', 'paused'] },
      next_due_at: { ...dateTimeSchema, type: ['string', 'null'] },
      metadata_dropped: {
        type: 'string',
        description:
          'Reason why Floe did not store the metadata. Absent if Floe stored the metadata, or if the request contained none.',
      },
      ignored_fields: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Names of the request fields that have no effect, such as `status`; at most 20. Absent if there are none.',
      },
    },
  };
  return {
    operationId: 'beats.send',
    summary: 'Send a beat; the response is sent after the beat is stored',
    description: `Requires the scope \`beat\` or \`monitoring\`. The body can be at most ${MAX_HEARTBEAT_BODY_BYTES / 1024} KB long. Unknown fields have no effect and are listed in \`ignored_fields\`.`,
    tags: ['beats'],
    parameters: [IDEMPOTENCY_KEY],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/SendBeatsRequest' } } },
    },
    responses: {
      200: { description: 'Recorded.', content: { 'application/json': { schema: answer } } },
      ...CLIENT_ERRORS,
      default: ERROR_RESPONSE,
    },
    security: [{ bearer: [] }, { header: [] }],
  };
}

function beatUrlOperations(operationId: string, what: string, more: readonly object[]) {
  const token = {
    name: 'token',
    in: 'path',
    required: true,
    description: 'Secret part of the monitor’s `beat_url`.',
    schema: { type: 'string' },
  };
  const run = {
    name: 'rid',
    in: 'query',
    required: false,
    description: 'Id of the run, a UUID. It distinguishes overlapping runs.',
    schema: { type: 'string', format: 'uuid' },
  };
  const operation = (method: string) => ({
    operationId: `${operationId}.${method}`,
    summary: `Send a beat to the secret URL of a monitor: ${what}`,
    description: `Requires no key. The body can have any media type. Floe stores at most the first ${MAX_STORED_BEAT_BODY_BYTES / 1024} KB of the body.`,
    tags: ['beats'],
    parameters: [token, ...more, run, IDEMPOTENCY_KEY],
    ...(method === 'post' && {
      // Generators of typed clients know no `*/*`.
      requestBody: {
        required: false,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses: {
      200: { description: '`OK`', content: { 'text/plain': { schema: { type: 'string' } } } },
      ...CLIENT_ERRORS,
      default: ERROR_RESPONSE,
    },
    security: [{}],
  });
  return { get: operation('get'), head: operation('head'), post: operation('post') };
}
