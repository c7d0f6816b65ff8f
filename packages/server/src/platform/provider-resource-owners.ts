import type { Clock } from '../core/clock.ts';
import { FairLruMap } from '../core/fair-lru-map.ts';
import { runForOrg } from '../core/org-context.ts';
import { replaceUnstorableCharacters } from '../core/unstorable-characters.ts';
import {
  getCountedResultLines,
  insertProviderResources,
  listProviderResourcesById,
  markResultLinesCounted,
  type ProviderResourceKey,
  type ProviderResourceRow,
} from '../store/provider-resources.ts';
import type { Database } from '../store/store-interfaces.ts';

/** The ids of all providers are shorter. PostgreSQL rejects ids that are too long for its index. */
const MAX_ID_LENGTH = 512;

/** Number of owners in memory. One needs about 200 bytes. */
const MAX_CACHED_OWNERS = 20_000;

interface ResourceOwner {
  readonly provider: string;
  /** Name of the provider credential that created the resource. */
  readonly credential: string;
  readonly keyId: string;
  readonly kind: string;
}

interface OwnedResource extends ResourceOwner {
  readonly orgId: string;
  readonly id: string;
}

/** Returns whether every database can store the id. Other ids have no owner. */
function isStorableId(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && replaceUnstorableCharacters(id) === id;
}

interface CountedLines {
  readonly from: number;
  readonly to: number;
}

function toRow(
  { orgId, id, provider, credential, kind, keyId }: OwnedResource,
  nowMs: number,
): ProviderResourceRow {
  return {
    org_id: orgId,
    resource_id: id,
    provider,
    credential,
    kind,
    key_id: keyId,
    created_at: nowMs,
    counted: 0,
  };
}

/**
 * Creates a store that records which platform key owns the files, batches and stored responses at providers.
 * The owner is the key that created the resource, and it never changes. Recent owners are cached. Unknown ids
 * are not cached. This process knows a new owner immediately. Other processes know it after the commit.
 */
export function createProviderResourceOwnerStore(
  database: Pick<Database, 'read' | 'transaction'>,
  clock: Clock,
) {
  const known = new FairLruMap<readonly ResourceOwner[]>(MAX_CACHED_OWNERS);
  return {
    async record(things: readonly OwnedResource[]): Promise<void> {
      const fresh = things.filter(
        ({ orgId, id, provider }) =>
          isStorableId(id) && !known.get(orgId, id)?.some((owner) => owner.provider === provider),
      );
      if (fresh.length === 0) return;
      const rows = fresh.map((resource) => toRow(resource, clock.now()));
      // A client may use an id as soon as it has received it, which in a stream is before the commit.
      for (const { orgId, id, provider, credential, keyId, kind } of fresh)
        known.set(orgId, id, [...(known.get(orgId, id) ?? []), { provider, credential, keyId, kind }]);
      try {
        await database.transaction((writer) => insertProviderResources(writer, rows));
      } finally {
        // Removed from the cache, because the database may have stored some of them.
        for (const { orgId, id } of fresh) known.delete(orgId, id);
      }
    },

    async find(
      orgId: string,
      ids: readonly string[],
      isFresh = false,
    ): Promise<ReadonlyMap<string, readonly ResourceOwner[]>> {
      const found = new Map<string, readonly ResourceOwner[]>();
      const asked: string[] = [];
      for (const id of new Set(ids)) {
        const owners = isFresh ? undefined : known.get(orgId, id);
        if (owners) found.set(id, owners);
        else if (isStorableId(id)) asked.push(id);
      }
      if (asked.length === 0) return found;
      const rows = await runForOrg(orgId, () => listProviderResourcesById(database.read, orgId, asked));
      for (const row of rows) {
        found.set(row.resource_id, [...(found.get(row.resource_id) ?? []), toOwner(row)]);
      }
      for (const id of asked) {
        const owners = found.get(id);
        if (owners) known.set(orgId, id, owners);
      }
      return found;
    },

    findCountedLines: (results: ProviderResourceKey): Promise<number> =>
      runForOrg(results.orgId, () => getCountedResultLines(database.read, results)),

    claimLines: (results: ProviderResourceKey, lines: CountedLines): Promise<boolean> =>
      runForOrg(results.orgId, () =>
        database.transaction((writer) => markResultLinesCounted(writer, results, lines)),
      ),
  };
}

function toOwner({ provider, credential, key_id: keyId, kind }: ProviderResourceRow): ResourceOwner {
  return { provider, credential, keyId, kind };
}
