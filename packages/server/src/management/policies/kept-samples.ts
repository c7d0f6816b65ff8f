import type { policyDryRun } from '@floe/contract/api/policies';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { KeptBody } from '../../gateway/bodies/kept-body.ts';
import { exchangeById } from '../../store/exchanges.ts';
import { type KeptBodiesRow, keptBodiesIn } from '../../store/kept-bodies.ts';
import type { Reader } from '../../store/ports.ts';

/** A request that policies judge, and what is known about who asked. */
export type Sample = NonNullable<z.output<typeof policyDryRun>['samples']>[number];

export interface KeptSamples {
  readonly samples: readonly { readonly id: string; readonly at: number; readonly sample: Sample }[];
  /** Kept bodies that were looked at. */
  readonly read: number;
  readonly hasMore: boolean;
  /** Where the next ones begin; null when nothing was read. */
  readonly last: { readonly at: number; readonly id: string } | null;
}

const SURFACES: readonly Sample['surface'][] = ['chat', 'responses', 'messages', 'embeddings'];

/** What the org kept of requests in [from, to), the newest first, as far as policies can judge it. */
export async function keptSamples(
  reader: Reader,
  bodies: Pick<BodyStore, 'open'>,
  orgId: string,
  asked: {
    readonly from: number;
    readonly to: number;
    readonly limit: number;
    readonly before?: KeptSamples['last'];
  },
): Promise<KeptSamples> {
  const { limit } = asked;
  const found = await keptBodiesIn(reader, orgId, { ...asked, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const samples: { id: string; at: number; sample: Sample }[] = [];
  for (const row of rows) {
    const sample = await sampleOf(reader, bodies, row);
    if (sample) samples.push({ id: row.id, at: row.created_at, sample });
  }
  const end = rows.at(-1);
  return {
    samples,
    read: rows.length,
    hasMore: found.length > limit,
    last: end ? { at: end.created_at, id: end.id } : null,
  };
}

async function sampleOf(
  reader: Reader,
  bodies: Pick<BodyStore, 'open'>,
  row: KeptBodiesRow,
): Promise<Sample | null> {
  const kept = bodies.open(row);
  const request = objectIn(kept.request);
  const exchange = request && (await exchangeById(reader, row.org_id, row.id));
  const surface = SURFACES.find((name) => name === exchange?.surface);
  if (!request || !exchange || surface === undefined) return null;
  const { key_name, team, owner, end_user, metadata_json } = exchange;
  const metadata = metadata_json === null ? null : jsonOf(metadata_json);
  const answer = surface === 'embeddings' ? null : objectIn(kept.answer);
  return {
    surface,
    request,
    answer: answer ?? undefined,
    key: key_name,
    team,
    owner,
    end_user,
    metadata,
  };
}

function objectIn(body: KeptBody | null): JsonObject | null {
  return body === null || body.truncated ? null : jsonOf(body.text);
}

function jsonOf(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
