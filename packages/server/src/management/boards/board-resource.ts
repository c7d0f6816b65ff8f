import type { Board } from '@floe/contract/api/boards';
import { toBoardSettings } from '../../monitoring/boards/config-file-boards.ts';
import { toResourceSource } from '../../platform/source-location.ts';
import type { BoardRow } from '../../store/monitoring/boards.ts';
import type { MonitoringDependencies } from '../monitors/monitoring-dependencies.ts';

/** Converts a board to the API format. */
export function toBoardResource(row: BoardRow, dependencies: MonitoringDependencies): Board {
  return {
    ...toBoardSettings(row),
    id: row.id,
    url: `${dependencies.baseUrl()}/boards/${row.slug}`,
    source: toResourceSource(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
