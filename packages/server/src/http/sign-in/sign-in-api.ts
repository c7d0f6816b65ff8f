import type { ClientAddressSource } from '../../core/client-address.ts';
import type { Actor } from '../../platform/actor.ts';
import type { SessionOperation } from './session-operation.ts';

/** A request as far as signing in goes. */
export interface SignInRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly addressSource: ClientAddressSource;
}

/** Who has the session of a request, and the cookie to answer with when it has to change. */
export interface RecognizedSession {
  readonly actor: Actor;
  readonly setCookie: string | null;
}

export interface SessionResponse {
  readonly body: unknown;
  readonly setCookies: readonly string[];
  readonly location: string | null;
}

/** What `/api` needs of the sign-in, without its parts. */
export interface SignInApi {
  readonly operations: readonly SessionOperation[];
  /**
   * Null when no session cookie came along. A cookie that has to change is only replaced when the answer can carry
   * another one.
   *
   * @throws Fault `session_expired`, `cross_site_request`, `auth_unavailable`
   */
  findSession(asking: SignInRequest, canSetCookie: boolean): Promise<RecognizedSession | null>;
  /** @throws Fault what the operation throws; `cross_site_request` */
  perform(operation: SessionOperation, asking: SignInRequest, input: SessionInput): Promise<SessionResponse>;
}

export interface SessionInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}
