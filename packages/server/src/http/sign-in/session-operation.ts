import * as z from 'zod';
import { validateInput } from '../../management/validate-input.ts';
import type { BrowserRequest } from '../../platform/sign-in/sign-in-context.ts';

/** What an operation of `/api/session` knows of the request. */
export interface SessionCall<Body, Query, Params> {
  readonly browser: BrowserRequest;
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  /** The `cookie` header, for other cookies than the session's. */
  readonly cookies: string | undefined;
}

/** What it answers; the transport writes cookies and redirects. */
export interface SessionOperationResult<Answer> {
  readonly body?: Answer;
  /** A new value for the session cookie, or null to take it back; absent leaves it. */
  readonly token?: string | null;
  /** Further `set-cookie` values. */
  readonly cookies?: readonly string[];
  /** 303 to this address, instead of a body. */
  readonly location?: string;
}

interface RawCall {
  readonly browser: BrowserRequest;
  readonly body: unknown;
  readonly query: unknown;
  readonly params: unknown;
  readonly cookies: string | undefined;
}

/** One thing that can be asked of the sign-in: the only part of the API that needs no key and sets cookies. */
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
  /** @throws Fault what the operation throws, and `invalid_request` with `param` */
  perform(call: RawCall): Promise<SessionOperationResult<unknown>>;
}

const noFields = z.strictObject({});
const noBody = z.unknown();

/** Defines an operation; its input is validated as a verb's is. */
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
      call: SessionCall<z.output<Body>, z.output<Query>, z.output<Params>>,
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
        body: validateInput(orDefault(body, noBody), raw.body),
        query: validateInput(orDefault(query, noFields), raw.query),
        params: validateInput(orDefault(params, noFields), raw.params),
      }),
  };
}

/** An absent schema leaves its type parameter at the default, which is the type of `fallback`. */
function orDefault<Schema extends z.ZodType>(
  given: Schema | undefined,
  fallback: typeof noFields | typeof noBody,
): Schema {
  return given ?? (fallback as z.ZodType as Schema);
}
