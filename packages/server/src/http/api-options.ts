import type { IncomingMessage } from 'node:http';
import type { Log } from '../core/log.ts';
import type { Operation, OperationDependencies } from '../management/operation.ts';
import type { Actor } from '../platform/actor.ts';
import type { PlatformKeyHeaders } from '../platform/key-format.ts';
import type { ApiCallRecorder } from './api-calls.ts';
import type { SignInApi } from './sign-in/sign-in-api.ts';

/** The options of the `/api` application. */
export interface ApiOptions {
  readonly operations: readonly Operation[];
  readonly host: OperationDependencies;
  readonly log: Log;
  /** Absent: calls are neither counted nor logged. */
  readonly recordCall?: ApiCallRecorder;
  /** Version of the program, for the OpenAPI document. */
  readonly version: string;
  /** Path of the base URL. Clients put it before `/api`. Absent: none. */
  readonly prefix?: () => string;
  /** Authenticates by platform key. @throws Fault of status 401 */
  authenticate(headers: PlatformKeyHeaders): Actor;
  /** Returns the IP address of the client. If this function is absent, sign-in does not use addresses. */
  addressOf?(request: IncomingMessage): string;
  /** Authenticates by session cookie if the request has no key. Absent: sign-in is not available. */
  readonly signIn?: SignInApi;
  /** The id that the server assigned to the request. */
  requestIdOf(request: IncomingMessage): string;
}
