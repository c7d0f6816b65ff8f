import { getApiSurface } from './api-surface.ts';

/** A failure with its codes and messages in each dialect. */
interface ProviderFailure {
  readonly status: number;
  readonly message: string;
  readonly openai: { readonly type: string; readonly code: string | null; readonly param?: string };
  readonly anthropic: string;
  readonly google: string;
}

/** Common errors that providers return. */
export const PROVIDER_FAILURES = {
  rateLimited: {
    status: 429,
    message: 'Rate limit reached for requests: limit 500, used 500, requested 1.',
    openai: { type: 'requests', code: 'rate_limit_exceeded' },
    anthropic: 'rate_limit_error',
    google: 'RESOURCE_EXHAUSTED',
  },
  serverError: {
    status: 500,
    message: 'The server had an error while processing your request.',
    openai: { type: 'server_error', code: null },
    anthropic: 'api_error',
    google: 'INTERNAL',
  },
  unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable.',
    openai: { type: 'service_unavailable', code: null },
    anthropic: 'overloaded_error',
    google: 'UNAVAILABLE',
  },
  overloaded: {
    status: 529,
    message: 'Overloaded',
    openai: { type: 'server_error', code: 'overloaded' },
    anthropic: 'overloaded_error',
    google: 'UNAVAILABLE',
  },
  contextLength: {
    status: 400,
    message:
      "This model's maximum context length is 128000 tokens, your messages came to 143210: prompt is too long.",
    openai: { type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages' },
    anthropic: 'invalid_request_error',
    google: 'INVALID_ARGUMENT',
  },
  contentFilter: {
    status: 400,
    message: 'The response was filtered: the prompt triggered the content management policy.',
    openai: { type: 'invalid_request_error', code: 'content_filter', param: 'prompt' },
    anthropic: 'invalid_request_error',
    google: 'INVALID_ARGUMENT',
  },
  unauthenticated: {
    status: 401,
    message: 'Incorrect API key provided.',
    openai: { type: 'invalid_request_error', code: 'invalid_api_key' },
    anthropic: 'authentication_error',
    google: 'UNAUTHENTICATED',
  },
  forbidden: {
    status: 403,
    message: 'Your credential has no permission to use this model.',
    openai: { type: 'permission_error', code: 'permission_denied' },
    anthropic: 'permission_error',
    google: 'PERMISSION_DENIED',
  },
} as const satisfies Record<string, ProviderFailure>;

/** Returns a provider's error body for the API that a path belongs to. */
export function encodeProviderErrorBody(failure: ProviderFailure, path: string): Buffer {
  const { status, message, openai, anthropic, google } = failure;
  switch (getApiSurface(path)) {
    case 'messages':
    case 'count-tokens':
      return toJsonBytes({ type: 'error', error: { type: anthropic, message }, request_id: 'req_testkit' });
    case 'generate-content':
      return toJsonBytes({ error: { code: status, message, status: google } });
    default:
      return toJsonBytes({
        error: { message, type: openai.type, param: openai.param ?? null, code: openai.code },
      });
  }
}

/** Returns an error as one SSE event, for a stream that started with 200. */
export function encodeProviderErrorEvent(failure: ProviderFailure, path: string): Buffer {
  const surface = getApiSurface(path);
  const named = surface === 'messages' || surface === 'responses' ? 'event: error\n' : '';
  const body = surface === 'responses' ? responsesError(failure) : encodeProviderErrorBody(failure, path);
  return Buffer.from(`${named}data: ${body.toString('utf8')}\n\n`);
}

function responsesError({ message, openai }: ProviderFailure): Buffer {
  return toJsonBytes({
    type: 'error',
    code: openai.code ?? openai.type,
    message,
    param: null,
    sequence_number: 1,
  });
}

function toJsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
