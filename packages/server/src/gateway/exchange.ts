import { type FaultShape, faultBody, faultHeaders } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import type { Log } from '../core/log.ts';
import { presentedKey } from '../platform/key-format.ts';
import { type KeyRecord, requireScope } from '../platform/keyring.ts';
import { admit } from './admit.ts';
import { answerHeaders } from './answer-headers.ts';
import { type Ask, readAsk } from './ask.ts';
import { BodyTape } from './bodies/body-tape.ts';
import { throughCache } from './cache/recall.ts';
import { isCached } from './cache/rules.ts';
import { type Catalog, type Course, EMPTY_CATALOG, resolveCourse } from './catalog.ts';
import { type Client, ClientGone } from './client.ts';
import { readControls } from './controls.ts';
import { countTokens } from './count-tokens.ts';
import { EarlyAnswer } from './early-answer.ts';
import type { Exchange } from './exchange-record.ts';
import type { Gateway } from './gateway.ts';
import { shownToIde, upstreamStatusHeader } from './ide/error-profile.ts';
import { refuseAliases } from './ide/exact-ids.ts';
import { LeadingAnswer } from './ide/leading-answer.ts';
import { readIdeAsk, withBody } from './ide/read-ide-ask.ts';
import { noteSession } from './model-sessions.ts';
import { orderTargets, takeCourse } from './order-targets.ts';
import { createPlanner } from './planner.ts';
import { passRequestGate } from './policy/request-gate.ts';
import { send } from './send.ts';
import { settle } from './settle.ts';
import { openTurn } from './stored/open-turn.ts';
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
    const { key, catalog } = authenticate(x);
    const { rules } = catalog;
    const course =
      rules === null
        ? await understand(x, catalog, key)
        : await admit(x, key, rules, () => understand(x, catalog, key));
    const { ask } = x;
    if (ask === null) throw new Error('what was understood has an ask');
    if (ask.stream) x.early = ask.wire ? new LeadingAnswer(x, ask.wire) : new EarlyAnswer(x);
    if (surface.name === 'count_tokens') x.state = await countTokens(x, ask, course);
    else if (catalog.cache === null || !isCached(catalog.cache, course)) {
      await send(x, course, createPlanner(x, ask));
      x.state = 'complete';
    } else {
      const produce = () => send(x, course, createPlanner(x, ask));
      x.state = await throughCache(x, ask, course, catalog.cache, produce);
    }
    // The one wait for the database: an answer ends when its turn can be gone on from.
    if (x.turn) await x.turn.commit(x);
    x.status = 200;
  } catch (error) {
    tell(x, error);
  } finally {
    settle(x);
  }
}

/** A new exchange, before anything is known of it. */
export function begin(client: Client, surface: Surface, gateway: Gateway): Exchange {
  return {
    id: client.id,
    surface,
    client,
    gateway,
    createdAt: gateway.clock.now(),
    startedAt: gateway.clock.monotonic(),
    key: null,
    catalog: null,
    grant: null,
    rateHeaders: null,
    controls: null,
    ask: null,
    opaque: null,
    turn: null,
    course: null,
    target: null,
    told: null,
    early: null,
    replay: null,
    conversation: null,
    session: null,
    dropped: [],
    attempts: [],
    decisions: [],
    usage: null,
    contentBytes: 0,
    contentPieces: 0,
    results: null,
    spent: null,
    finish: null,
    responseId: null,
    cache: null,
    isKeepable: true,
    answerGate: null,
    stoppedBy: null,
    rewrittenBy: null,
    status: 0,
    fault: null,
    state: 'failed',
    sentAt: null,
    firstTokenAt: null,
    upstreamEndedAt: null,
  };
}

/** Finds the platform key and the org's catalog. Throws 401s, `insufficient_scope` and `shutting_down`. */
export function authenticate(x: Exchange): { key: KeyRecord; catalog: Catalog } {
  const { gateway, client } = x;
  if (gateway.draining())
    throw new Fault('shutting_down', 'This instance is shutting down; send the request again.');
  const { keyring, catalogs } = gateway.snapshot();
  const key = keyring.authenticate(presentedKey(client.headers), x.createdAt);
  x.key = key;
  client.authenticated();
  gateway.open.add(x);
  requireScope(key, 'gateway');
  gateway.lastUsed(key, x.createdAt);
  x.session = noteSession(x, key);
  x.decisions.push({ step: 'authenticate', outcome: 'allowed', because: `platform key "${key.name}"` });
  x.catalog = catalogs.get(key.orgId) ?? EMPTY_CATALOG;
  if (x.catalog.bodies !== null) client.bodyTape = new BodyTape();
  return { key, catalog: x.catalog };
}

/** Reads the request and finds who may answer it. Throws what is wrong with it. */
async function understand(x: Exchange, catalog: Catalog, key: KeyRecord): Promise<Course> {
  const { client, surface } = x;
  x.controls = readControls(client.headers);
  const body = await client.readBody(JSON_BODY_BYTES);
  const { ide } = surface;
  const ask = ide ? await readIdeAsk(x, ide.deployment, body) : readAsk(surface, body);
  x.ask = ask;
  const course = route(x, catalog, key, ask);
  if (catalog.policies !== null) {
    const passed = passRequestGate(x, key, ask, catalog.policies);
    // Who it is counted for stays as the caller said it.
    if (passed !== ask.body) x.ask = withBody(ask, passed);
  }
  if (surface.dialect === 'responses') x.turn = await openTurn(x, x.ask);
  // Who left during a look-up is not listened to yet.
  if (client.isInterrupted) throw client.interruption;
  return course;
}

function route(x: Exchange, catalog: Catalog, { orgId, models }: KeyRecord, ask: Ask): Course {
  if (x.surface.ide) refuseAliases(catalog, ask.model);
  const resolved = resolveCourse(catalog, models ?? (() => true), ask.model);
  return takeCourse(x, orderTargets(x, resolved, { orgId, stream: ask.stream, body: ask }));
}

/** Tells the client how its exchange failed, in its own dialect, and notes it for the row. */
export function tell(x: Exchange, error: unknown): void {
  const { client, surface } = x;
  if (error instanceof ClientGone || client.gone) {
    x.state = 'aborted';
    x.status = 499;
    return;
  }
  if (error instanceof UpstreamRefusal && !x.early?.sent) {
    x.status = error.status;
    x.fault = new Fault('upstream_error', error.message, { upstreamStatus: error.status });
    client.answer(
      error.status,
      [...answerHeaders(x, error.contentType), ...error.headers, 'x-floe-error-source', 'upstream'],
      error.body,
    );
    return;
  }
  const fault = faultOf(x, error);
  x.fault = fault;
  const shown = surface.ide ? shownToIde(x, fault) : fault;
  // An answer that was begun early and had no content ended with this error all the same.
  x.status = x.told ? 200 : shown.status;
  x.state = x.told ? 'partial' : fault.isBlock ? 'blocked' : 'failed';
  if (x.told) endTold(client, (x.stoppedBy ?? x.told).failure(shown));
  else if (x.early?.sent) client.endWith(x.early.failure(shown));
  else {
    const headers = answerHeaders(x, 'application/json');
    if (shown !== fault) headers.push(...upstreamStatusHeader(fault));
    answerFault(client, shown, surface.faultShape, headers);
  }
}

function faultOf({ id, gateway }: Exchange, error: unknown): Fault {
  if (error instanceof Fault) return error;
  // Its own words can no longer be passed on as they are: the stream was answered early.
  if (error instanceof UpstreamRefusal) return error.asFault();
  return internalFault(gateway.log, id, error);
}

function endTold(client: Client, text: string | null): void {
  if (text === null) client.breakOff();
  else client.endWith(text);
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
