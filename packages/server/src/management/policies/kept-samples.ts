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
  readonly samples: readonly { readonly id: string; readonly sample: Sample }[];
  /** Kept bodies that were looked at. */
  readonly read: number;
  readonly hasMore: boolean;
}

const SURFACES: readonly Sample['surface'][] = ['chat', 'responses', 'messages', 'embeddings'];

/** What the org kept of requests in [from, to), the newest first, as far as policies can judge it. */
export async function keptSamples(
  reader: Reader,
  bodies: Pick<BodyStore, 'open'>,
  orgId: string,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<KeptSamples> {
  const found = await keptBodiesIn(reader, orgId, { from, to, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const samples: { id: string; sample: Sample }[] = [];
  for (const row of rows) {
    const sample = await sampleOf(reader, bodies, row);
    if (sample) samples.push({ id: row.id, sample });
  }
  return { samples, read: rows.length, hasMore: found.length > limit };
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
