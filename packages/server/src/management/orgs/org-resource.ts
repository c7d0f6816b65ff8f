import type { OrgResource } from '@floe/contract/api/orgs';
import { Fault } from '@floe/contract/faults';
import { toResourceSource } from '../../platform/source-location.ts';
import { findOrgById, type OrgRow } from '../../store/orgs.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { LoadedOrg } from '../loaded-org.ts';

/**
 * Returns the organization with this id.
 * @throws Fault `not_found`
 */
export async function requireOrg(reader: DatabaseReader, id: string): Promise<OrgRow> {
  const row = await findOrgById(reader, id);
  if (!row)
    throw new Fault(
      'not_found',
      'The organization of your session or key was deleted. Sign in again, or use a key of another organization.',
    );
  return row;
}

/**
 * Converts an organization to the form that the API and the audit log use. Values from floe.yaml
 * take precedence over stored values.
 */
export function toOrgResource(
  row: OrgRow,
  { config, isInFile, fileName }: Pick<LoadedOrg, 'config' | 'isInFile' | 'fileName'>,
): OrgResource {
  const declared = isInFile ? config : null;
  const toIso = (ms: number) => new Date(ms).toISOString();
  return {
    id: row.id,
    name: declared?.name ?? row.name,
    timezone: declared?.timezone ?? row.timezone ?? 'UTC',
    source: toResourceSource({
      source: isInFile ? 'file' : 'console',
      source_file: fileName,
      source_line: null,
    }),
    created_at: toIso(row.created_at),
    updated_at: typeof row.updated_at === 'number' ? toIso(row.updated_at) : null,
    updated_by: row.updated_by ?? null,
  };
}
