import type { Org } from '@floe/contract/api/orgs';
import { Fault } from '@floe/contract/faults';
import { placeOf } from '../../platform/file-place.ts';
import { type OrgRow, orgById } from '../../store/orgs.ts';
import type { Reader } from '../../store/ports.ts';
import type { RunningOrg } from '../running-org.ts';

/** @throws Fault `not_found` */
export async function existingOrg(reader: Reader, id: string): Promise<OrgRow> {
  const row = await orgById(reader, id);
  if (!row) throw new Fault('not_found', 'The organization is gone.');
  return row;
}

/** An org as the API and the audit log show it; what floe.yaml says about it goes before what is stored. */
export function orgView(
  row: OrgRow,
  { config, isInFile, fileName }: Pick<RunningOrg, 'config' | 'isInFile' | 'fileName'>,
): Org {
  const declared = isInFile ? config : null;
  const momentOf = (ms: number) => new Date(ms).toISOString();
  return {
    id: row.id,
    name: declared?.name ?? row.name,
    timezone: declared?.timezone ?? row.timezone ?? 'UTC',
    source: placeOf({
      source: isInFile ? 'file' : 'console',
      source_file: fileName,
      source_line: null,
    }),
    created_at: momentOf(row.created_at),
    updated_at: typeof row.updated_at === 'number' ? momentOf(row.updated_at) : null,
    updated_by: row.updated_by ?? null,
  };
}
