import type { policyDryRunInput } from '@floe/contract/api/policies';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { StoredBody } from '../../gateway/bodies/stored-body.ts';
import { findExchangeById } from '../../store/exchanges.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { listStoredBodies, type StoredBodiesRow } from '../../store/stored-bodies.ts';

/** A request or response that policies are evaluated on, and its caller. */
export type PolicySample = NonNullable<z.output<typeof policyDryRunInput>['samples']>[number];

/** The stored bodies of a request as a sample. */
export interface StoredPolicySample {
  readonly id: string;
  readonly at: number;
  /** Whether values were redacted before the bodies were stored. Detectors cannot find these values. */
  readonly isRedacted: boolean;
  readonly sample: PolicySample;
}

/** One page of stored bodies, converted to samples for a policy dry run. */
export interface StoredPolicySamplePage {
  readonly samples: readonly StoredPolicySample[];
  /** Number of stored bodies that were read. */
  readonly read: number;
  readonly hasMore: boolean;
  /** Cursor of the next page. Null if nothing was read. */
  readonly nextBefore: { readonly at: number; readonly id: string } | null;
}

const EVALUATED_SURFACES: readonly PolicySample['surface'][] = [
  'chat',
  'responses',
  'messages',
  'embeddings',
];

/** Loads the stored bodies of requests in [from, to) as policy samples, newest first. */
export async function loadStoredPolicySamples(
  reader: DatabaseReader,
  bodies: Pick<BodyStore, 'open'>,
  orgId: string,
  query: {
    readonly from: number;
    readonly to: number;
    readonly limit: number;
    readonly before?: StoredPolicySamplePage['nextBefore'];
  },
): Promise<StoredPolicySamplePage> {
  const { limit } = query;
  const found = await listStoredBodies(reader, orgId, { ...query, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const samples: StoredPolicySample[] = [];
  for (const row of rows) {
    const sample = await loadSample(reader, bodies, row);
    if (sample) samples.push(sample);
  }
  const end = rows.at(-1);
  return {
    samples,
    read: rows.length,
    hasMore: found.length > limit,
    nextBefore: end ? { at: end.created_at, id: end.id } : null,
  };
}

async function loadSample(
  reader: DatabaseReader,
  bodies: Pick<BodyStore, 'open'>,
  row: StoredBodiesRow,
): Promise<StoredPolicySample | null> {
  const stored = bodies.open(row);
  const request = parseBodyObject(stored.request);
  const exchange = request && (await findExchangeById(reader, row.org_id, row.id));
  const surface = EVALUATED_SURFACES.find((name) => name === exchange?.surface);
  if (!request || !exchange || surface === undefined) return null;
  const { key_name, team, owner, end_user, metadata_json } = exchange;
  const metadata = metadata_json === null ? null : parseJsonObject(metadata_json);
  const answer = surface === 'embeddings' ? null : parseBodyObject(stored.answer);
  const caller = { key: key_name, team, owner, end_user, metadata };
  return {
    id: row.id,
    at: row.created_at,
    isRedacted: [stored.request, stored.answer].some((body) => Object.keys(body?.redacted ?? {}).length > 0),
    sample: { surface, request, answer: answer ?? undefined, ...caller },
  };
}

function parseBodyObject(body: StoredBody | null): JsonObject | null {
  return body === null || body.truncated ? null : parseJsonObject(body.text);
}

function parseJsonObject(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
