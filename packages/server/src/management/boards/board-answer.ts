import type { Board } from '@floe/contract/api/boards';
import { boardSettings } from '../../monitoring/boards/file-boards.ts';
import { placeOf } from '../../platform/file-place.ts';
import type { BoardRow } from '../../store/monitoring/boards.ts';
import type { MonitoringHost } from '../monitors/monitoring-host.ts';

export function boardAnswer(row: BoardRow, host: MonitoringHost): Board {
  return {
    ...boardSettings(row),
    id: row.id,
    url: `${host.baseUrl()}/boards/${row.slug}`,
    source: placeOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
