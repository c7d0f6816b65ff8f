import type { Reader, Writer } from './ports.ts';
import { putSetting, settingValue } from './settings.ts';

const PREFIX = 'cache_purges:';

/** How often each org threw its kept answers away; orgs that never did are absent. */
export async function cachePurges(reader: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('settings')
    .select(['name', 'value'])
    .where('name', '>=', PREFIX)
    .where('name', '<', `${PREFIX}\uffff`)
    .execute();
  return new Map(rows.map(({ name, value }) => [name.slice(PREFIX.length), Number(value)]));
}

export async function purgesOf(reader: Reader, orgId: string): Promise<number> {
  return Number((await settingValue(reader, PREFIX + orgId)) ?? 0);
}

/** Counts one more; returns how many there were before. Answers are found by the count, so none of the old ones is again. */
export async function countPurge(writer: Writer, orgId: string): Promise<number> {
  const before = await purgesOf(writer, orgId);
  await putSetting(writer, PREFIX + orgId, String(before + 1));
  return before;
}
