import { Fault } from '@floe/contract/faults';
import { requireScope } from '../platform/keyring.ts';
import { admit } from './admit.ts';
import { AnswerProgress } from './answer-progress.ts';
import { AnswerRecord } from './answer-record.ts';
import { BodyTape } from './bodies/body-tape.ts';
import { identify } from './caller.ts';
import type { Client } from './client.ts';
import { readControls } from './controls.ts';
import { type Exchange, type StartedExchange, UNJUDGED, UNREAD } from './exchange-record.ts';
import { finalize } from './finalize.ts';
import type { Gateway } from './gateway.ts';
import { noteSession } from './model-sessions.ts';
import type { Operation, RoutedRequest } from './operation.ts';
import { sendError } from './send-error.ts';
import type { Surface } from './surface.ts';

/**
 * One exchange from its first byte to its row, on every path of the gateway, in the order of the specification:
 * authenticate, limits and budgets, policies, cache, failover. Never throws: every ending is told to the client and
 * recorded once.
 */
export async function exchange(client: Client, operation: Operation, gateway: Gateway): Promise<void> {
  const x: StartedExchange = begin(client, operation.surface, gateway);
  try {
    authenticate(x);
    gateway.open.add(x);
    const request = await admit(x, () => parse(x, operation));
    x.outcome = await request.send();
  } catch (error) {
    x.outcome = sendError(x, error);
  } finally {
    operation.release?.(x);
    finalize(x);
  }
}

/** Finds who asks. @throws Fault a 401, `insufficient_scope` or `shutting_down` */
function authenticate(x: StartedExchange): asserts x is Exchange {
  const { gateway, client } = x;
  if (gateway.draining())
    throw new Fault('shutting_down', 'This instance is shutting down; send the request again.');
  const caller = identify(client, gateway, x.createdAt);
  const { key, catalog } = caller;
  x.caller = caller;
  requireScope(key, 'gateway');
  gateway.lastUsed(key, x.createdAt);
  x.session = noteSession(gateway.sessions, key, client.headers);
  x.decisions.push({ step: 'authenticate', outcome: 'allowed', because: `platform key "${key.name}"` });
  if (catalog.bodies !== null) client.bodyTape = new BodyTape();
}

/** Reads the request, routes it and judges it by the org's policies. Throws what is wrong with it. */
function parse(x: Exchange, operation: Operation): Promise<RoutedRequest> {
  x.controls = readControls(x.client.headers);
  return operation.parse(x);
}

/** A new exchange, before anything is known of it. */
function begin(client: Client, surface: Surface, gateway: Gateway): StartedExchange {
  return {
    id: client.id,
    surface,
    client,
    gateway,
    createdAt: gateway.clock.now(),
    startedAt: gateway.clock.monotonic(),
    progress: new AnswerProgress(),
    answer: new AnswerRecord(),
    caller: null,
    admission: null,
    controls: null,
    request: UNREAD,
    course: null,
    target: null,
    session: null,
    attempts: [],
    decisions: [],
    spent: null,
    cache: null,
    judged: UNJUDGED,
    outcome: { state: 'failed', status: 0, fault: null },
    upstream: null,
  };
}
