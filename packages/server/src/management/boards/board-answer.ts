import type { Board } from '@floe/contract/api/boards';
import { groupsOf } from '../../monitoring/boards/board.ts';
import { placeOf } from '../../platform/file-place.ts';
import type { BoardRow } from '../../store/monitoring/boards.ts';
import type { MonitoringHost } from '../monitors/monitoring-host.ts';

export function boardAnswer(row: BoardRow, host: MonitoringHost): Board {
  return {
    slug: row.slug,
    name: row.name,
    public: row.public === 1,
    timezone: row.timezone,
    groups: groupsOf(row).map(({ name, monitors }) => ({ name, monitors: [...monitors] })),
    id: row.id,
    url: `${host.baseUrl()}/boards/${row.slug}`,
    source: placeOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
