import { type FaultShape, faultBody, faultHeaders } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import { writeFrame } from '@floe/wire/sse';
import type { Log } from '../core/log.ts';
import { presentedKey } from '../platform/key-format.ts';
import { requireScope } from '../platform/keyring.ts';
import { answerHeaders } from './answer-headers.ts';
import { readChatAsk, readControls } from './ask.ts';
import { attempt } from './attempt.ts';
import { type Catalog, EMPTY_CATALOG, resolveTargets, type Target } from './catalog.ts';
import { type Client, ClientGone } from './client.ts';
import type { Exchange } from './exchange-record.ts';
import type { Gateway } from './gateway.ts';
import { settle } from './settle.ts';
import type { Surface } from './surface.ts';
import { UpstreamRefusal } from './upstream-fault.ts';

/** Bodies the gateway looks into (product page, "Errors"). */
const JSON_BODY_BYTES = 32 * 1024 * 1024;

/**
 * One exchange from its first byte to its row, in the order of the specification: authenticate, limits,
 * policy and budget, cache, failover. Never throws: every ending is told to the client and settled once.
 */
export async function exchange(client: Client, surface: Surface, gateway: Gateway): Promise<void> {
  const x = begin(client, surface, gateway);
  try {
    const catalog = authenticate(x);
    x.controls = readControls(client.headers);
    x.ask = readChatAsk(await client.readBody(JSON_BODY_BYTES));
    const targets = route(x, catalog, x.ask.model);
    await send(x, targets, x.controls.timeoutMs);
    x.state = 'complete';
    x.status = 200;
  } catch (error) {
    tell(x, error);
  } finally {
    settle(x);
  }
}

function begin(client: Client, surface: Surface, gateway: Gateway): Exchange {
  return {
    id: client.id,
    surface,
    client,
    gateway,
    createdAt: gateway.clock.now(),
    startedAt: gateway.clock.monotonic(),
    key: null,
    catalog: null,
    controls: null,
    ask: null,
    target: null,
    attempts: [],
    decisions: [],
    usage: null,
    finish: null,
    status: 0,
    fault: null,
    state: 'failed',
    sentAt: null,
    firstTokenAt: null,
    upstreamEndedAt: null,
  };
}

function authenticate(x: Exchange): Catalog {
  const { gateway, client } = x;
  if (gateway.draining())
    throw new Fault('shutting_down', 'This instance is shutting down; send the request again.');
  const { keyring, catalogs } = gateway.snapshot();
  const key = keyring.authenticate(presentedKey(client.headers), x.createdAt);
  x.key = key;
  requireScope(key, 'gateway');
  gateway.lastUsed(key.id, x.createdAt);
  x.decisions.push({ step: 'authenticate', outcome: 'allowed', because: `platform key "${key.name}"` });
  x.catalog = catalogs.get(key.orgId) ?? EMPTY_CATALOG;
  return x.catalog;
}

function route(x: Exchange, catalog: Catalog, model: string): Target[] {
  const { key } = x;
  const targets = resolveTargets(catalog, (id) => key?.models == null || key.models(id), model);
  const names = targets.map((target) => `${target.provider.id}/${target.model}`).join(', ');
  x.decisions.push({ step: 'route', outcome: names, because: 'the model id names the provider' });
  return targets;
}

/** Tries the targets in order. A target that failed before content reached the client hands over to the next. */
async function send(x: Exchange, targets: readonly Target[], timeoutMs: number | null): Promise<void> {
  let last: unknown;
  for (const target of targets) {
    const totalMs = Math.min(target.provider.timeouts.totalMs, timeoutMs ?? Number.POSITIVE_INFINITY);
    try {
      return await attempt(x, target, x.startedAt + totalMs);
    } catch (error) {
      last = error;
      if (x.client.answering || error instanceof UpstreamRefusal || !(error instanceof Fault)) throw error;
      x.decisions.push({ step: 'send', outcome: 'failed', because: error.message });
    }
  }
  // Made here and not before: an error's stack trace is 30 µs, and most exchanges need none.
  throw last ?? new Fault('no_healthy_target', 'No target is left for this request.');
}

/** Tells the client how its exchange failed, in its own dialect, and notes it for the row. */
function tell(x: Exchange, error: unknown): void {
  const { client, surface, gateway } = x;
  if (error instanceof ClientGone || client.gone) {
    x.state = 'aborted';
    x.status = 499;
    return;
  }
  if (error instanceof UpstreamRefusal) {
    x.status = error.status;
    x.fault = new Fault('upstream_error', error.message, { upstreamStatus: error.status });
    client.answer(
      error.status,
      [...answerHeaders(x, error.contentType), 'x-floe-error-source', 'upstream'],
      error.body,
    );
    return;
  }
  const fault = error instanceof Fault ? error : internalFault(gateway.log, x.id, error);
  x.fault = fault;
  x.status = client.answering ? 200 : fault.status;
  x.state = client.answering ? 'partial' : 'failed';
  if (client.answering) client.endBroken(writeFrame(undefined, faultBody(fault, x.id, surface.faultShape)));
  else answerFault(client, fault, surface.faultShape, answerHeaders(x, 'application/json'));
}

/** A bug: logged whole, told without detail. */
export function internalFault(log: Log, id: string, error: unknown): Fault {
  log.error({ err: error, request_id: id }, 'a request failed on a bug');
  return new Fault('internal_error', `Something went wrong inside Floe. The log has it under ${id}.`);
}

/** An error answer before anything else was sent. */
export function answerFault(
  client: Client,
  fault: Fault,
  shape: FaultShape,
  headers: readonly string[],
): void {
  client.answer(fault.status, [...headers, ...faultHeaders(fault)], faultBody(fault, client.id, shape));
}
