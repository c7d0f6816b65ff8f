import * as z from 'zod';
import { validateStorableInput } from '../../management/validate-input.ts';
import type { BrowserRequest } from '../../platform/sign-in/sign-in-context.ts';

/** The validated input of a `/api/session` operation. */
export interface SessionOperationInput<Body, Query, Params> {
  readonly browser: BrowserRequest;
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  /** The `cookie` header, for cookies other than that of the session. */
  readonly cookies: string | undefined;
}

/** The result of a session operation. The transport sets the cookies and sends the body or the redirect. */
export interface SessionOperationResult<Answer> {
  readonly body?: Answer;
  /** A new value of the session cookie, or null to clear it. Absent: unchanged. */
  readonly token?: string | null;
  /** Additional `set-cookie` values. */
  readonly cookies?: readonly string[];
  /** Redirect with 303 to this URL instead of a body. */
  readonly location?: string;
}

interface RawCall {
  readonly browser: BrowserRequest;
  readonly body: unknown;
  readonly query: unknown;
  readonly params: unknown;
  readonly cookies: string | undefined;
}

/**
 * An operation of `/api/session`, or of `/api/me` with a console session. Unlike other operations, session
 * operations do not accept a platform key, and they can set cookies.
 */
export interface SessionOperation {
  readonly name: `${'session' | 'me'}.${string}`;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/api/${'session' | 'me'}${string}`;
  readonly summary: string;
  readonly status: 200 | 201 | 204 | 303;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | null;
  readonly answer: z.ZodType;
  /**
   * Validates the input and performs the operation.
   * @throws Fault of the operation; `invalid_request` with `param`
   */
  perform(call: RawCall): Promise<SessionOperationResult<unknown>>;
}

const noFields = z.strictObject({});
const noBody = z.unknown();

/**
 * Defines a session operation. Its input is validated in the same way as for other API operations.
 */
export function defineSessionOperation<
  Answer extends z.ZodType,
  Body extends z.ZodType = typeof noBody,
  Query extends z.ZodObject = typeof noFields,
  Params extends z.ZodObject = typeof noFields,
>(
  definition: Pick<SessionOperation, 'name' | 'method' | 'path' | 'summary' | 'status'> & {
    readonly answer: Answer;
    readonly body?: Body;
    readonly query?: Query;
    readonly params?: Params;
    run(
      call: SessionOperationInput<z.output<Body>, z.output<Query>, z.output<Params>>,
    ): Promise<SessionOperationResult<z.input<Answer>>>;
  },
): SessionOperation {
  const { body, query, params } = definition;
  return {
    ...definition,
    body: body ?? null,
    query: query ?? noFields,
    params: params ?? noFields,
    perform: (raw) =>
      definition.run({
        browser: raw.browser,
        cookies: raw.cookies,
        body: validateStorableInput(orDefault(body, noBody), raw.body),
        query: validateStorableInput(orDefault(query, noFields), raw.query),
        params: validateStorableInput(orDefault(params, noFields), raw.params),
      }),
  };
}

/**
 * Returns `fallback` for an absent schema. The type parameter then has its default, which is the type of
 * `fallback`.
 */
function orDefault<Schema extends z.ZodType>(
  given: Schema | undefined,
  fallback: typeof noFields | typeof noBody,
): Schema {
  return given ?? (fallback as z.ZodType as Schema);
}
