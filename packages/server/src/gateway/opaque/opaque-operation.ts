import { Fault } from '@floe/contract/faults';
import { scanObject } from '@floe/wire/splice';
import type { Policies } from '../../guardrails/policies/policies.ts';
import { presentedKey } from '../../platform/key-format.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import { type Billing, billingOf } from '../billing.ts';
import type { Course } from '../catalog.ts';
import { type Client, ClientGone } from '../client.ts';
import { type Exchange, type Outcome, UNREAD } from '../exchange-record.ts';
import type { Operation } from '../operation.ts';
import { orderTargets, takeCourse } from '../order-targets.ts';
import { passRequestGate } from '../policy/request-gate.ts';
import { send } from '../send.ts';
import type { Surface } from '../surface.ts';
import type { Asking, Base } from './base.ts';
import { requireJudgedInputs } from './batch-inputs.ts';
import { answerHeld, heldWork } from './held-answer.ts';
import { type JsonBody, type OpaqueAsk, readOpaqueAsk } from './opaque-ask.ts';
import { type OpaquePlanning, planOpaque } from './opaque-plan.ts';
import { recordThings } from './owned-answers.ts';
import { ownerOf } from './owner-of.ts';
import type { Passing } from './passing.ts';
import { type Place, readPlace } from './path.ts';
import { type Meaning, readMeaning } from './resource-path.ts';

/**
 * A request and an answer that pass without being understood: the address and the outline of the body tell what a dialect
 * would. `rest` is what stands behind the base, query included.
 */
export function opaqueOperation(method: string, base: Base, rest: string): Operation {
  const place = placeOf(base, rest);
  const segments = place instanceof Fault ? [] : place.segments.slice(base.lead.length);
  const meaning = readMeaning(base.style, segments);
  return {
    surface: surfaceOf(base, billingOf(base.style, method, segments.join('/'), meaning.results), meaning),
    async parse(x) {
      if (place instanceof Fault) throw place;
      const passing: Passing = { base, place, segments, meaning, ...x.caller };
      const { ask, course } = await readRequest(x, passing);
      return { course, send: () => pass(x, passing, ask, course) };
    },
    release({ id, request: { opaque }, gateway: { log } }) {
      if (opaque?.body.kind !== 'spool') return;
      opaque.body.spool.close().catch((error: unknown) => {
        log.warn({ err: error, request_id: id }, 'a spooled body could not be closed');
      });
    },
  };
}

function surfaceOf({ routeMode, faultShape }: Base, billing: Billing, { surface: name }: Meaning): Surface {
  const dialect = faultShape === 'anthropic' ? 'messages' : 'chat';
  return { name, routeMode, dialect, faultShape, billing, forwarded: [] };
}

/** Billed by what a model reads and writes: the body is a prompt. */
const TEXT: ReadonlySet<Billing> = new Set(['tokens', 'searches', 'free-unless-priced']);

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

/** Reads as much of the request as the rules need and finds who may answer it. Throws what is wrong with it. */
async function readRequest(
  x: Exchange,
  passing: Passing,
): Promise<{ readonly ask: OpaqueAsk; readonly course: Course }> {
  const { place, meaning, key, catalog } = passing;
  const { client, gateway } = x;
  const platformKey = presentedKey(client.headers);
  if (client.target.includes(platformKey))
    throw new Fault('invalid_request', 'A platform key stands in the address; send it in a header.');
  const { clock, spoolDir } = gateway;
  const allowsModel = judgeFor(x, passing);
  const ask = await readOpaqueAsk({ client, meaning, clock, spoolDir, allowsModel });
  x.request = { ...UNREAD, opaque: ask };
  // What asks a model for an answer is estimated and reserved for like any other.
  if (ask.body.kind === 'json' && ask.model !== null && TEXT.has(x.surface.billing)) {
    const { bytes, members } = ask.body;
    const prompt = { body: bytes, members, model: ask.model, stream: ask.stream, choices: 1, user: ask.user };
    x.request = { ...x.request, ask: prompt };
  }
  const model = ask.model ?? new URLSearchParams(place.query).get('model');
  if (model === null) requirePath(key, client);
  const owner = await ownerOf(x, passing, ask);
  if (allowsModel) await requireJudgedInputs(gateway.owners, key, meaning, ask);
  const course = courseOf(x, passing, ask, { model, owner });
  return { ask: catalog.policies === null ? ask : passGate(x, key, ask, catalog.policies), course };
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
function passGate(x: Exchange, key: KeyRecord, ask: OpaqueAsk, policies: Policies): OpaqueAsk {
  if (policies.answer)
    x.decisions.push({ step: 'policy', outcome: 'unjudged', because: 'answers on this path pass unread' });
  if (ask.body.kind !== 'json') return ask;
  const { bytes, members } = ask.body;
  const { stream, user, model } = ask;
  const asked = { body: bytes, members, model: model ?? '', stream, choices: 1, user };
  const body = passRequestGate(x, key, asked, { request: policies.request, answer: null });
  if (body === bytes) return ask;
  const kept: JsonBody = { kind: 'json', bytes: body, members: scanObject(body) };
  const { ask: prompt } = x.request;
  const opaque = { ...ask, body: kept, bytes: body.length };
  x.request = { ...x.request, ask: prompt && { ...prompt, body, members: kept.members }, opaque };
  return opaque;
}

async function pass(x: Exchange, passing: Passing, ask: OpaqueAsk, course: Course): Promise<Outcome> {
  const planning = planningFor(x, passing, ask);
  await sendWhole(x, course, planning);
  await conclude(x, planning);
  const { passed, held } = planning;
  return {
    state: passed.erred ? 'partial' : 'complete',
    status: held?.status ?? passed.status,
    fault: null,
  };
}

/** Judges models that stand inside an upload, once its provider is known. Null where every model may be used. */
function judgeFor(x: Exchange, { base, key, catalog }: Passing): ((model: string) => boolean) | null {
  const open = [...catalog.providers.values()].every(({ models }) => models.includes('*'));
  if (key.models === null && open) return null;
  return (model) => x.target !== null && base.allows(x.target.provider, key, model);
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

interface Planning extends OpaquePlanning {
  recorded: Promise<void> | null;
}

function planningFor(x: Exchange, passing: Passing, ask: OpaqueAsk): Planning {
  const { meaning, place } = passing;
  const work = heldWork(x, meaning, ask);
  const planning: Planning = {
    passing,
    ask,
    query: place.query,
    platformKey: presentedKey(x.client.headers),
    passed: {
      status: 0,
      whole: false,
      erred: false,
      counts: x.client.method === 'POST' || meaning.results,
      onStored: null,
    },
    work,
    held: null,
    recorded: null,
  };
  const { collection } = meaning;
  if (work === 'create' && collection !== null)
    planning.passed.onStored = (id) => {
      const { target, gateway, caller } = x;
      if (target)
        planning.recorded = recordThings(gateway.owners, target, caller.key, [{ id, kind: collection }]);
    };
  return planning;
}

/** A client that leaves once it has its whole answer has not left early: official ones do at the last event. */
async function sendWhole(x: Exchange, course: Course, planning: Planning): Promise<void> {
  try {
    await send(x, course, (target) => planOpaque(x, target, planning));
  } catch (error) {
    if (!(error instanceof ClientGone && planning.passed.whole)) throw error;
  }
}

async function conclude(x: Exchange, planning: Planning): Promise<void> {
  const {
    held,
    recorded,
    passing: { meaning, key },
  } = planning;
  if (recorded) await recorded;
  if (held) await answerHeld(x, planning, held);
  const { id, collection } = meaning;
  // Whoever asks for a response, or cancels it, may have seen its end.
  if (collection === 'responses' && id !== null) x.gateway.background.hurry(key.orgId, id);
  if (!meaning.results || !x.answer.usage || id === null || !x.target) return;
  const isNews = await x.gateway.owners.claimResults(key.orgId, x.target.provider.id, id);
  if (isNews) return;
  x.answer.reportUsage(null);
  x.answer.setResults(null);
}
