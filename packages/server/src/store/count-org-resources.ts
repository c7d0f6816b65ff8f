import { sql } from 'kysely';
import type { DatabaseReader } from './store-interfaces.ts';

/** The tables with one row per resource. `monitor_clocks` has one row per monitor that is not removed. */
const TABLES = {
  monitors: 'monitor_clocks',
  channels: 'channels',
  boards: 'boards',
  teams: 'teams',
  limits: 'limits',
  budgets: 'budgets',
  relay_rules: 'relay_rules',
  maintenance: 'maintenance_windows',
  views: 'views',
} as const;

type CountedKind = keyof typeof TABLES | 'keys' | 'providers' | 'routes' | 'policies';

/** Returns the number of an organization's resources of one kind. Revoked keys do not count. */
export async function countOrgResources(
  reader: DatabaseReader,
  orgId: string,
  kind: CountedKind,
): Promise<number> {
  const { count } = await countRows(reader, orgId, kind);
  return Number(count);
}

function countRows(reader: DatabaseReader, orgId: string, kind: CountedKind) {
  const count = sql<number>`count(*)`.as('count');
  switch (kind) {
    case 'keys': {
      const keys = reader.selectFrom('platform_keys').select(count).where('org_id', '=', orgId);
      return keys.where('revoked_at', 'is', null).executeTakeFirstOrThrow();
    }
    case 'providers':
    case 'routes':
    case 'policies': {
      const entries = reader.selectFrom('config_entries').select(count).where('org_id', '=', orgId);
      return entries.where('kind', '=', kind).executeTakeFirstOrThrow();
    }
    default:
      return reader
        .selectFrom(TABLES[kind])
        .select(count)
        .where('org_id', '=', orgId)
        .executeTakeFirstOrThrow();
  }
}
