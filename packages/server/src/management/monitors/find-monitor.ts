import { Fault } from '@floe/contract/faults';
import { mustFindMonitor } from '../../monitoring/monitors.ts';
import { readMonitor } from '../../monitoring/read.ts';
import { channelById } from '../../store/channels.ts';
import type { MonitorRow } from '../../store/monitoring/definitions.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import type { VerbContext } from '../verb.ts';
import { monitorAnswer } from './monitor-answer.ts';
import type { MonitoringHost } from './monitoring-host.ts';

/** A monitor that may be changed here. @throws Fault `monitor_not_found`, `managed_by_file` */
export async function changeableMonitor(writer: Writer, orgId: string, id: string): Promise<MonitorRow> {
  const row = await mustFindMonitor(writer, orgId, id);
  mustBeOwn(row);
  return row;
}

/** @throws Fault `managed_by_file` */
export function mustBeOwn(row: MonitorRow): void {
  if (row.disabled_at === null) mustNotBeInFile('monitor', row.id, row);
}

/** @throws Fault `invalid_request` for a channel that the org does not have */
export async function mustKnowChannels(
  reader: Reader,
  orgId: string,
  channels: readonly string[],
): Promise<void> {
  for (const [index, name] of channels.entries()) {
    const row = await channelById(reader, orgId, name);
    if (row?.name !== name)
      throw new Fault('invalid_request', `channels[${index}]: there is no such channel`, {
        param: `channels[${index}]`,
      });
  }
}

/** The monitor as it stands inside the transaction that changed it. */
export async function answerNow(
  { orgId, actor, writer }: VerbContext & { readonly writer: Writer },
  id: string,
  host: MonitoringHost,
) {
  return monitorAnswer(await readMonitor(writer, orgId, id, host.engine.sight()), actor, host);
}
