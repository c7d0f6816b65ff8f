import { capitalize } from '../format/words.ts';

/** An answer of the API that is not a success, with what a person needs to go on. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 when there was no answer. */
  readonly status: number;
  /** Stable, of the table in docs/reference/errors.md; `network` without an answer. */
  readonly code: string;
  /** Path of the field it is about, such as `targets[1].weight`. */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(told: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly param?: string | null;
    readonly requestId?: string | null;
    readonly retryAfterMs?: number | null;
  }) {
    super(told.message);
    this.status = told.status;
    this.code = told.code;
    this.param = told.param ?? null;
    this.requestId = told.requestId ?? null;
    this.retryAfterMs = told.retryAfterMs ?? null;
  }

  /** The message where its field stands beside it: without the field's name, as a sentence. */
  get fieldMessage(): string {
    const start = this.param === null ? '' : `${this.param}: `;
    if (start === '' || !this.message.startsWith(start)) return this.message;
    const rest = this.message.slice(start.length);
    return `${capitalize(rest)}${/[.!?]$/.test(rest) ? '' : '.'}`;
  }
}

/** What an error says where its field is plain to see. */
export function errorMessage(error: Error): string {
  return error instanceof ApiError ? error.fieldMessage : error.message;
}

/** Reads an error answer, ours or that of a proxy on the way, which knows nothing of our shape. */
export function readApiError(status: number, headers: Headers, text: string): ApiError {
  const requestId = headers.get('x-request-id');
  const wait = Number(
    headers.get('retry-after-ms') ?? Number(headers.get('retry-after') ?? Number.NaN) * 1000,
  );
  const retryAfterMs = Number.isFinite(wait) && wait > 0 ? wait : null;
  const error = errorOf(text);
  return new ApiError({
    status,
    code: textOf(error, 'code') ?? 'unreadable_answer',
    message:
      textOf(error, 'message') ??
      `Something between this browser and Floe answered ${status}. Check the proxy, then try again.`,
    param: textOf(error, 'param'),
    requestId,
    retryAfterMs,
  });
}

/** There was no answer at all: Floe is down, or the network is. */
export function unreachableError(): ApiError {
  return new ApiError({
    status: 0,
    code: 'network',
    message: 'Floe did not answer. Check that it runs and that this device is online.',
  });
}

/** What a change failed of, whatever it was: of the API, or of the browser itself. */
export function toApiError(error: Error | null): ApiError | null {
  if (error === null || error instanceof ApiError) return error;
  return new ApiError({ status: 0, code: 'console', message: error.message || 'Something went wrong here.' });
}

function errorOf(text: string): object | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('error' in body)) return null;
    return typeof body.error === 'object' ? body.error : null;
  } catch {
    return null;
  }
}

function textOf(from: object | null, name: string): string | null {
  if (from === null) return null;
  const value: unknown = Reflect.get(from, name);
  return typeof value === 'string' && value !== '' ? value : null;
}
