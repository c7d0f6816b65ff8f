import { isObject, type JsonObject, parseExactly } from '@floe/contract/json';
import { usageIn } from '@floe/wire/passing-usage';
import { noteContent } from '../booked-usage.ts';
import type { Target } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import { send } from '../send.ts';
import { BATCH_INPUT } from './batch-inputs.ts';
import { without } from './headers.ts';
import type { OpaqueAsk } from './opaque-ask.ts';
import { type HeldAnswer, type HeldWork, type OpaquePlanning, planOpaque } from './opaque-plan.ts';
import { addressFor, hasLinks, withOwnLinks } from './own-links.ts';
import { entriesOf, ownedPage, recordThings, sees, thingsMade } from './owned-answers.ts';
import { passedHeaders } from './passed-answer.ts';
import type { Passing } from './passing.ts';
import type { Meaning } from './resource-path.ts';

/** What has to be known of an answer before it goes on, if anything. */
export function heldWork(x: Exchange, meaning: Meaning, ask: OpaqueAsk): HeldWork | null {
  const { collection, id } = meaning;
  const { method } = x.client;
  if (collection === null) return null;
  const shown = hasLinks(meaning) ? 'show' : null;
  if (method === 'GET') return id === null ? 'list' : collection === 'batches' ? 'note' : shown;
  if (method !== 'POST') return shown;
  const answers = collection === 'responses' || collection === 'chat/completions';
  if (id === null) return answers && ask.unstored ? null : 'create';
  return answers ? null : 'note';
}

/** Sends a held answer on once its things are written down, or are the caller's only. */
export async function answerHeld(x: Exchange, planning: OpaquePlanning, held: HeldAnswer): Promise<void> {
  const answer = parsed(held.body);
  const body = answer && (await processed(x, planning, held.target, answer));
  if (planning.work === 'create') noteContent(x, held.body);
  const headers = without(passedHeaders(x, held.headers), 'content-length');
  const bytes = body === null ? held.body : Buffer.from(body);
  x.client.answer(held.status, headers, linked(x, planning.passing, bytes));
}

/** A client follows the links of a resource with its platform key: they lead here, not to the provider. */
function linked({ gateway, client, target }: Exchange, { base, meaning }: Passing, body: Buffer): Buffer {
  if (!target || !hasLinks(meaning)) return body;
  const url = addressFor(gateway.baseUrl(), String(client.headers.host ?? '')) + base.mount;
  return withOwnLinks(body, { url, base, target, meaning });
}

/** The body to send instead; null for the upstream's own bytes. */
async function processed(
  x: Exchange,
  planning: OpaquePlanning,
  target: Target,
  answer: JsonObject,
): Promise<string | null> {
  const {
    work,
    passing: { meaning, key },
  } = planning;
  if (work === 'show') return null;
  if (work === 'list')
    return Array.isArray(answer['data']) ? JSON.stringify(await listed(x, planning, answer)) : null;
  if (work === 'create' && (meaning.surface === 'responses' || meaning.surface === 'chat'))
    x.answer.reportUsage(usageIn(answer) ?? null);
  if (work === 'create' && meaning.surface === 'responses') {
    const { id, status } = answer;
    x.answer.setResponseId(typeof id === 'string' ? id : null);
    x.answer.setFinish(typeof status === 'string' ? status : null);
  }
  const kind = isJudgedBatch(planning.ask) ? BATCH_INPUT : meaning.collection;
  const things = thingsMade(meaning, work === 'create' ? kind : null, answer);
  if (things.length > 0) await recordThings(x.gateway.owners, target, key, things);
  return null;
}

async function listed(x: Exchange, planning: OpaquePlanning, first: JsonObject): Promise<JsonObject> {
  const { base, meaning, key, catalog, place } = planning.passing;
  const { owners } = x.gateway;
  const page = async (query: string): Promise<JsonObject | null> => {
    if (!x.course) return null;
    const next: OpaquePlanning = { ...planning, query, held: null };
    await send(x, x.course, (target) => planOpaque(x, target, next));
    return next.held && parsed(next.held.body);
  };
  const mine = async (ids: readonly string[]) => {
    const known = await owners.of(key.orgId, ids);
    const provider = x.target?.provider.id;
    return new Set(
      ids.filter((id) =>
        known.get(id)?.some((one) => one.provider === provider && sees(catalog.resourceScope, key, one)),
      ),
    );
  };
  const shown = await ownedPage(first, {
    query: place.query,
    after: base.style === 'a' ? 'after' : 'after_id',
    page,
    mine,
  });
  const things = entriesOf(shown).flatMap((entry) => thingsMade(meaning, null, entry));
  if (x.target && things.length > 0) await recordThings(owners, x.target, key, things);
  return shown;
}

function isJudgedBatch({ body }: OpaqueAsk): boolean {
  return body.kind === 'upload' && body.check?.isBatchInput === true;
}

function parsed(body: Buffer): JsonObject | null {
  try {
    const value = parseExactly(body.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
