import type { Team } from '@floe/contract/api/teams';
import type { TeamRow } from '../store/teams.ts';
import { placeOf } from './file-place.ts';

/** A stored team as the API and the audit log show it. */
export function teamView(row: TeamRow): Team {
  return {
    id: row.id,
    name: row.name,
    cost_center: row.cost_center,
    source: placeOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
