import type { ClientAddressSource } from '../../core/client-address.ts';
import type { Actor } from '../../platform/actor.ts';
import type { ConsoleSessionRow } from '../../store/console-sessions.ts';
import type { SessionOperation } from './session-operation.ts';

/** The request data that sign-in uses. */
export interface SignInRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly addressSource: ClientAddressSource;
  /** Whether the request counts as use of the session. */
  readonly isUse: boolean;
}

/** The session that a request belongs to, and the new cookie to send if the cookie must change. */
export interface AuthenticatedSession {
  readonly actor: Actor;
  readonly setCookie: string | null;
}

/** A session operation's response, with its cookies and redirect. */
export interface SessionOperationResponse {
  readonly body: unknown;
  readonly setCookies: readonly string[];
  readonly location: string | null;
}

/** The sign-in functions that `/api` uses. */
export interface SignInApi {
  readonly operations: readonly SessionOperation[];
  /**
   * Returns the session of a request. Null if the request has no session cookie. Replaces a cookie that must
   * change only if the response can set one.
   *
   * @throws Fault `session_expired`, `cross_site_request`, `auth_unavailable`
   */
  findSession(asking: SignInRequest, canSetCookie: boolean): Promise<AuthenticatedSession | null>;
  /** Returns whether a stored session has not expired. A request in progress does not count as use of the session. */
  isActiveSession(session: ConsoleSessionRow): boolean;
  /**
   * Performs a session operation.
   * @throws Fault of the operation; `cross_site_request`
   */
  perform(
    operation: SessionOperation,
    asking: SignInRequest,
    input: RawSessionOperationInput,
  ): Promise<SessionOperationResponse>;
}

/** The unvalidated input of a session operation. */
export interface RawSessionOperationInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}
