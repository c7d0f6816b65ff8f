import { Fault } from '@floe/contract/faults';
import { scanObject } from '@floe/wire/splice';
import type { Policies } from '../../guardrails/policies/policies.ts';
import { presentedKey } from '../../platform/key-format.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import { admit } from '../admit.ts';
import type { Catalog, Course } from '../catalog.ts';
import { type Client, ClientGone } from '../client.ts';
import { readControls } from '../controls.ts';
import { authenticate, begin, tell } from '../exchange.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Gateway } from '../gateway.ts';
import { orderTargets, takeCourse } from '../order-targets.ts';
import { passRequestGate } from '../policy/request-gate.ts';
import { send } from '../send.ts';
import { settle } from '../settle.ts';
import type { Asking, Base } from './base.ts';
import { answerHeld, type HeldWork, heldWork } from './held-answer.ts';
import { type JsonBody, type OpaqueAsk, readOpaqueAsk } from './opaque-ask.ts';
import { type Held, type OpaquePlanning, planOpaque } from './opaque-plan.ts';
import { recordThings, sees } from './owned-answers.ts';
import type { Owner } from './owners.ts';
import type { Passed } from './passed-answer.ts';
import { type Place, readPlace } from './path.ts';
import { type Meaning, readMeaning } from './resource-path.ts';

/**
 * One exchange whose request and answer pass without being understood: the same order as any other, with what the
 * address and the outline of the body tell in place of a dialect. Never throws. `rest` is what stands behind the
 * base, query included.
 */
export async function opaqueExchange(
  client: Client,
  base: Base,
  rest: string,
  gateway: Gateway,
): Promise<void> {
  const place = placeOf(base, rest);
  const segments = place instanceof Fault ? [] : place.segments.slice(base.lead.length);
  const meaning = readMeaning(base.style, segments);
  const { routeMode, faultShape } = base;
  const dialect = faultShape === 'anthropic' ? 'messages' : 'chat';
  const x = begin(client, { name: meaning.surface, routeMode, dialect, faultShape, forwarded: [] }, gateway);
  try {
    const { key, catalog } = authenticate(x);
    const { rules } = catalog;
    const read = () => understand(x, { base, place, segments, meaning, key, catalog });
    if (rules === null) await read();
    else await admit(x, key, rules, read);
    if (!(place instanceof Fault)) await pass(x, { base, place, segments, meaning, key, catalog });
  } catch (error) {
    tell(x, error);
  } finally {
    const body = x.opaque?.body;
    if (body?.kind === 'spool') body.spool.close().catch((error: unknown) => noteSpool(x, error));
    settle(x);
  }
}

function noteSpool(x: Exchange, error: unknown): void {
  x.gateway.log.warn({ err: error, request_id: x.id }, 'a spooled body could not be closed');
}

/** A path that cannot be read is told once it is known who asks. */
function placeOf(base: Base, rest: string): Place | Fault {
  try {
    const place = readPlace(rest);
    if (base.lead.every((segment, at) => place.segments[at] === segment)) return place;
    return new Fault('not_found', `Paths of this base begin with /${base.lead.join('/')}.`);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

export interface Passing {
  readonly base: Base;
  readonly place: Place;
  readonly segments: readonly string[];
  readonly meaning: Meaning;
  readonly key: KeyRecord;
  readonly catalog: Catalog;
}

/** Reads as much of the request as the rules need and finds who may answer it. Throws what is wrong with it. */
async function understand(
  x: Exchange,
  reading: Omit<Passing, 'place'> & { readonly place: Place | Fault },
): Promise<Course> {
  const { place, meaning, key, catalog } = reading;
  const { client, gateway } = x;
  x.controls = readControls(client.headers);
  if (place instanceof Fault) throw place;
  const passing: Passing = { ...reading, place };
  const platformKey = presentedKey(client.headers);
  if (client.target.includes(platformKey))
    throw new Fault('invalid_request', 'A platform key stands in the address; send it in a header.');
  const ask = await readOpaqueAsk({
    client,
    meaning,
    clock: gateway.clock,
    spoolDir: gateway.spoolDir,
    judgeModel: judgeFor(x, passing),
  });
  x.opaque = ask;
  // What asks a model for an answer is estimated and reserved for like any other.
  if (ask.body.kind === 'json' && ask.model !== null && meaning.jsonOnly) {
    const { bytes, members } = ask.body;
    x.ask = { body: bytes, members, model: ask.model, stream: ask.stream, choices: 1, user: ask.user };
  }
  const model = ask.model ?? new URLSearchParams(place.query).get('model');
  if (model === null) requirePath(key, client);
  const owner = await ownerOf(x, passing, ask);
  const course = courseOf(x, passing, ask, { model, owner });
  if (catalog.policies !== null) passGate(x, key, ask, catalog.policies);
  return course;
}

/** Who may answer, in order. What creates something at a provider is sent to one target, once. */
function courseOf(
  x: Exchange,
  { base, key, catalog, meaning }: Passing,
  { body, stream, things }: OpaqueAsk,
  { model, owner }: Pick<Asking, 'model' | 'owner'>,
): Course {
  const { client } = x;
  const course = base.course({ client, key, catalog, meaning, model, owner });
  const targets = course.targets.filter(({ provider }) =>
    things.models.every((named) => base.allows(provider, key, named)),
  );
  if (targets.length === 0) throw notAllowed(things.models.join(', '));
  const scanned = body.kind === 'json' ? { body: body.bytes, members: body.members } : null;
  const ordering = { orgId: key.orgId, stream, body: scanned };
  const ordered = orderTargets(x, { ...course, targets }, ordering);
  const isOnce = model !== null && !base.repeats(client.method, meaning.collection);
  if (!isOnce) return takeCourse(x, ordered);
  const [first] = ordered.course.targets;
  return takeCourse(x, {
    ...ordered,
    course: { ...ordered.course, targets: first ? [first] : [], retries: 0 },
  });
}

/** A JSON body is judged like any other; forms and files pass unread, and answers as they come. */
function passGate(x: Exchange, key: KeyRecord, ask: OpaqueAsk, policies: Policies): void {
  if (policies.answer)
    x.decisions.push({ step: 'policy', outcome: 'unjudged', because: 'answers on this path pass unread' });
  if (ask.body.kind !== 'json') return;
  const { bytes, members } = ask.body;
  const { stream, user, model } = ask;
  const asked = { body: bytes, members, model: model ?? '', stream, choices: 1, user };
  const body = passRequestGate(x, key, asked, { request: policies.request, answer: null });
  if (body === bytes) return;
  const kept: JsonBody = { kind: 'json', bytes: body, members: scanObject(body) };
  x.opaque = { ...ask, body: kept, bytes: body.length };
  if (x.ask) x.ask = { ...x.ask, body: kept.bytes, members: kept.members };
}

async function pass(x: Exchange, passing: Passing): Promise<void> {
  const { base, place, segments, meaning } = passing;
  const ask = x.opaque;
  if (!ask) throw new Error('what was understood has an ask');
  const platformKey = presentedKey(x.client.headers);
  const work = heldWork(x, meaning, ask);
  const planning = planningFor(x, { base, ask, segments, query: place.query, platformKey, meaning }, work);
  await sendWhole(x, planning);
  await conclude(x, passing, planning, work);
}

/** Judges models that stand inside an upload, once its provider is known. Null where nothing can be refused. */
function judgeFor(x: Exchange, { base, key, catalog }: Passing): ((model: string) => void) | null {
  const open = [...catalog.providers.values()].every(({ models }) => models.includes('*'));
  if (key.models === null && open) return null;
  return (model) => {
    if (x.target && !base.allows(x.target.provider, key, model)) throw notAllowed(model);
  };
}

function notAllowed(models: string): Fault {
  return new Fault('model_not_allowed', `The body names a model that may not be used here: ${models}.`, {
    param: 'model',
  });
}

/** A key that is restricted to models reaches paths without one only where it says so. */
function requirePath(key: KeyRecord, { target }: Client): void {
  if (key.models === null) return;
  const path = target.replace(/\?.*$/s, '');
  if (
    (key.paths ?? []).some((open) => path === open || path.startsWith(open.endsWith('/') ? open : `${open}/`))
  )
    return;
  throw new Fault(
    'model_not_allowed',
    `This key may only use certain models, and this request names none. List ${path.slice(0, 200)} among the key's paths to open it.`,
  );
}

/** Who made the things this request names. Throws 404 when one is not there for the caller. */
async function ownerOf(
  x: Exchange,
  { meaning, key, catalog }: Passing,
  ask: OpaqueAsk,
): Promise<Owner | null> {
  const named = meaning.collection !== null && meaning.id !== null ? [meaning.id] : [];
  const ids = [...named, ...ask.things.ids];
  if (ids.length === 0) return null;
  const known = await x.gateway.owners.of(key.orgId, ids);
  let owner: Owner | null = null;
  for (const id of ids) {
    const mine = known.get(id)?.find((one) => sees(catalog.resourceScope, key, one));
    if (!mine) throw notThere(id, id === ask.things.previous);
    owner ??= mine;
  }
  return owner;
}

function notThere(id: string, isPrevious: boolean): Fault {
  const message = `There is no "${id.slice(0, 100)}" that this key may see.`;
  return isPrevious
    ? new Fault('previous_response_not_found', message, { param: 'previous_response_id' })
    : new Fault('not_found', message);
}

interface Planning extends OpaquePlanning {
  held: Held | null;
  recorded: Promise<void> | null;
}

function planningFor(
  x: Exchange,
  sending: Pick<OpaquePlanning, 'base' | 'ask' | 'segments' | 'query' | 'platformKey' | 'meaning'>,
  work: HeldWork | null,
): Planning {
  const passed: Passed = {
    status: 0,
    whole: false,
    erred: false,
    counts: x.client.method === 'POST' || sending.meaning.results,
    onStored: null,
  };
  function hold(held: Held): void {
    planning.held = held;
  }
  const planning: Planning = {
    ...sending,
    passed,
    held: null,
    recorded: null,
    hold: work && hold,
  };
  const { collection } = sending.meaning;
  if (work === 'create' && collection !== null)
    passed.onStored = (id) => {
      const { key, target, gateway } = x;
      if (key && target)
        planning.recorded = recordThings(gateway.owners, target, key, [{ id, kind: collection }]);
    };
  return planning;
}

/** A client that leaves once it has its whole answer has not left early: official ones do at the last event. */
async function sendWhole(x: Exchange, planning: Planning): Promise<void> {
  if (!x.course) throw new Error('a course is set before sending');
  try {
    await send(x, x.course, (target) => planOpaque(x, target, planning));
  } catch (error) {
    if (!(error instanceof ClientGone && planning.passed.whole)) throw error;
  }
}

async function conclude(
  x: Exchange,
  passing: Passing,
  planning: Planning,
  work: HeldWork | null,
): Promise<void> {
  const { passed, held, recorded } = planning;
  if (recorded) await recorded;
  if (held && work) await answerHeld(x, passing, planning, held, work);
  x.status = held?.status ?? passed.status;
  x.state = passed.erred ? 'partial' : 'complete';
  const { id } = passing.meaning;
  if (!passing.meaning.results || !x.usage || id === null || !x.target) return;
  const isNews = await x.gateway.owners.claimResults(passing.key.orgId, x.target.provider.id, id);
  if (!isNews) x.usage = null;
}
