import { Fault } from '@floe/contract/faults';
import { requireKeyScope } from '../platform/keyring.ts';
import { admitExchange } from './admit-exchange.ts';
import { AttemptResponseData } from './attempt-response-data.ts';
import { BodyRecorder } from './bodies/body-recorder.ts';
import { type AuthenticatedCaller, authenticateCaller } from './caller.ts';
import type { ClientCall } from './client-call.ts';
import {
  type Exchange,
  type ExchangeResult,
  INITIAL_POLICY_STATE,
  NO_OMITTED_REQUEST_PARTS,
  type StartedExchange,
  UNPARSED_REQUEST,
} from './exchange-record.ts';
import { finalizeExchange } from './finalize-exchange.ts';
import type { GatewayOperation, RoutedRequest } from './operation.ts';
import type { ExchangeCapacity } from './overload/overload-manager.ts';
import { parseRequestControls } from './request-controls.ts';
import { ResponseProgress } from './response-progress.ts';
import { logInternalError, sendError } from './send-error.ts';
import { countSessionRequest } from './session-request-counter.ts';
import type { SharedGatewayDependencies } from './shared-gateway-dependencies.ts';
import type { GatewaySurface } from './surface.ts';

/**
 * Handles one exchange on any gateway path, from the first byte to the request log row. The order
 * is: authentication, overload protection, limits and budgets, policies, cache, failover. Never
 * throws. Every error is sent to the client and recorded once.
 */
export async function handleExchange(
  client: ClientCall,
  operation: GatewayOperation,
  gateway: SharedGatewayDependencies,
): Promise<void> {
  const x: StartedExchange = createExchange(client, operation.surface, gateway);
  try {
    const caller = authenticate(x);
    const pending = gateway.overload.admit(caller.key.orgId, client.connection);
    begin(x, caller, pending instanceof Promise ? await pending : pending);
    gateway.openExchanges.add(x);
    const request = await admitExchange(x, () => parseAndRoute(x, operation));
    x.result = await request.send();
  } catch (error) {
    x.result = sendAnyError(x, error);
  } finally {
    finish(x, operation);
  }
}

/** Sends an error. If that fails because of a bug, closes the connection, so that the process can continue. */
function sendAnyError(x: StartedExchange, error: unknown): ExchangeResult {
  try {
    return sendError(x, error);
  } catch (bug) {
    x.client.abort();
    return { state: 'failed', status: 500, fault: logInternalError(x.gateway.log, x.id, bug) };
  }
}

/**
 * Releases and records the exchange. A bug in one step must not prevent the other, which releases capacity and
 * reservations. It must not end the process either, because the process serves other organizations.
 */
function finish(x: StartedExchange, operation: GatewayOperation): void {
  try {
    operation.release?.(x);
  } catch (bug) {
    logInternalError(x.gateway.log, x.id, bug);
  }
  try {
    finalizeExchange(x);
  } catch (bug) {
    logInternalError(x.gateway.log, x.id, bug);
  }
}

/** Authenticates the caller. @throws Fault with status 401, or `shutting_down` */
function authenticate(x: StartedExchange): AuthenticatedCaller {
  const { gateway, client } = x;
  if (gateway.isDraining())
    throw new Fault('shutting_down', 'This process is shutting down. Retry the request.');
  const caller = authenticateCaller(client, gateway, x.createdAt);
  x.caller = caller;
  return caller;
}

/**
 * Completes the exchange with its authenticated caller and its capacity.
 * @throws Fault `insufficient_scope`
 */
function begin(
  x: StartedExchange,
  caller: AuthenticatedCaller,
  capacity: ExchangeCapacity,
): asserts x is Exchange {
  const { gateway, client } = x;
  const { key, catalog } = caller;
  x.capacity = capacity;
  client.bodyCapacity = capacity;
  requireKeyScope(key, 'gateway');
  gateway.recordKeyUse(key, x.createdAt);
  x.session = countSessionRequest(gateway.sessions, key, client.headers);
  x.decisions.push({ step: 'authenticate', outcome: 'allowed', reason: `platform key "${key.name}"` });
  if (catalog.bodies !== null) client.bodyRecorder = new BodyRecorder();
}

/** Parses and routes the request and evaluates policies. @throws Fault of the request */
function parseAndRoute(x: Exchange, operation: GatewayOperation): Promise<RoutedRequest> {
  x.controls = parseRequestControls(x.client.headers);
  return operation.parse(x);
}

/** Creates an exchange without any data about its request. */
function createExchange(
  client: ClientCall,
  surface: GatewaySurface,
  gateway: SharedGatewayDependencies,
): StartedExchange {
  return {
    id: client.id,
    surface,
    client,
    gateway,
    createdAt: gateway.clock.now(),
    startedAt: gateway.clock.monotonic(),
    progress: new ResponseProgress(),
    answer: new AttemptResponseData(),
    caller: null,
    capacity: null,
    admission: null,
    controls: null,
    request: UNPARSED_REQUEST,
    route: null,
    target: null,
    session: null,
    omittedParts: NO_OMITTED_REQUEST_PARTS,
    attempts: [],
    decisions: [],
    priorUsage: null,
    cache: null,
    policy: INITIAL_POLICY_STATE,
    result: { state: 'failed', status: 0, fault: null },
    upstreamSpan: null,
  };
}
