import { SETTINGS } from '@floe/contract/config/org';
import { Fault } from '@floe/contract/faults';
import {
  credentialsOf,
  type EntryRow,
  entriesOfOrg,
  entryById,
  removeCredential,
  removeEntry,
} from '../../store/config-entries.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { parsed, routeOf } from './stored-config.ts';

/** Removes a provider with its keys. @throws Fault `conflict` naming what sends to it */
export async function removeProvider(writer: Writer, row: EntryRow): Promise<void> {
  await mustBeUnused(writer, row.org_id, row.id);
  for (const { id } of await credentialsOf(writer, row.org_id, row.id)) await removeCredential(writer, id);
  await removeEntry(writer, row);
}

async function mustBeUnused(reader: Reader, orgId: string, id: string): Promise<void> {
  const routes = (await entriesOfOrg(reader, orgId, 'routes')).map(routeOf);
  const route = routes.find(({ targets }) => targets.some(({ model }) => model.startsWith(`${id}/`)));
  if (route)
    throw new Fault('conflict', `The route "${route.model}" sends to this provider; change the route first.`);
  const row = await entryById(reader, orgId, 'settings', 'passthrough');
  if (!row) return;
  const passthrough = SETTINGS.passthrough.parse(parsed(row)['value']);
  for (const surface of ['a', 'b'] as const)
    if (passthrough[surface].some(({ provider }) => provider === id))
      throw new Fault('conflict', `The setting passthrough.${surface} names this provider; change it first.`);
}
