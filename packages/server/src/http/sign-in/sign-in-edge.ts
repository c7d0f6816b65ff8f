import type { Arrival } from '../../core/arrivals.ts';
import type { Actor } from '../../platform/actor.ts';
import type { SessionOperation } from './session-operation.ts';

/** A request as far as signing in goes. */
export interface Asking {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly arrival: Arrival;
}

/** Who has the session of a request, and the cookie to answer with when it has to change. */
export interface Recognised {
  readonly actor: Actor;
  readonly setCookie: string | null;
}

export interface Done {
  readonly body: unknown;
  readonly setCookies: readonly string[];
  readonly location: string | null;
}

/** What `/api` needs of the sign-in, without its parts. */
export interface SignInEdge {
  readonly operations: readonly SessionOperation[];
  /**
   * Null when no session cookie came along. A cookie that has to change is only replaced when the answer can carry
   * another one.
   *
   * @throws Fault `signed_out`, `cross_site_request`, `auth_unavailable`
   */
  recognise(asking: Asking, mayReplace: boolean): Promise<Recognised | null>;
  /** @throws Fault what the operation throws; `cross_site_request` */
  perform(operation: SessionOperation, asking: Asking, input: SessionInput): Promise<Done>;
}

export interface SessionInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}
