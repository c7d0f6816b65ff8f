import type { IncomingMessage } from 'node:http';
import type { Log } from '../core/log.ts';
import type { Verb, VerbDependencies } from '../management/verb.ts';
import type { Actor } from '../platform/actor.ts';
import type { CredentialHeaders } from '../platform/key-format.ts';
import type { ApiCallRecorder } from './api-calls.ts';
import type { SignInApi } from './sign-in/sign-in-api.ts';

export interface ApiOptions {
  readonly verbs: readonly Verb[];
  readonly host: VerbDependencies;
  readonly log: Log;
  /** Absent where nobody counts or logs calls. */
  readonly recordCall?: ApiCallRecorder;
  /** Version of the program, for the OpenAPI document. */
  readonly version: string;
  /** Path of the base URL, in front of `/api` for clients. Absent: none. */
  readonly prefix?: () => string;
  /** By platform key. @throws Fault of status 401 */
  authenticate(headers: CredentialHeaders): Actor;
  /** IP address of the client; absent where it does not matter. */
  addressOf?(request: IncomingMessage): string;
  /** By session cookie, where no key came along; absent where nobody signs in. */
  readonly signIn?: SignInApi;
  /** The id the server gave this request when it arrived. */
  requestIdOf(request: IncomingMessage): string;
}
