import { ORG_SETTINGS_FIELDS } from '@floe/contract/config/org';
import { Fault } from '@floe/contract/faults';
import {
  type ConfigEntryRow,
  deleteConfigEntry,
  deleteProviderCredential,
  findConfigEntryById,
  listConfigEntriesOfOrg,
  listProviderCredentials,
} from '../../store/config-entries.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import { parseStoredConfigEntry, parseStoredRoute } from './stored-config.ts';

/**
 * Deletes a provider and its credentials.
 * @throws Fault `conflict` with the resources that refer to it
 */
export async function removeProvider(writer: DatabaseWriter, row: ConfigEntryRow): Promise<void> {
  await requireUnused(writer, row.org_id, row.id);
  for (const { id } of await listProviderCredentials(writer, row.org_id, row.id))
    await deleteProviderCredential(writer, id);
  await deleteConfigEntry(writer, row);
}

async function requireUnused(reader: DatabaseReader, orgId: string, id: string): Promise<void> {
  const routes = (await listConfigEntriesOfOrg(reader, orgId, 'routes')).map(parseStoredRoute);
  const route = routes.find(({ targets }) => targets.some(({ model }) => model.startsWith(`${id}/`)));
  if (route)
    throw new Fault('conflict', `The route "${route.model}" uses this provider. Change the route first.`);
  const row = await findConfigEntryById(reader, orgId, 'settings', 'passthrough');
  if (!row) return;
  const passthrough = ORG_SETTINGS_FIELDS.passthrough.parse(parseStoredConfigEntry(row)['value']);
  for (const surface of ['a', 'b'] as const)
    if (passthrough[surface].some(({ provider }) => provider === id))
      throw new Fault(
        'conflict',
        `The setting passthrough.${surface} refers to this provider. Change the setting first.`,
      );
}
