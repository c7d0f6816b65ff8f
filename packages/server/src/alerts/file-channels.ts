import type { ChannelConfig } from '@floe/contract/config';
import { newId } from '../core/ids.ts';
import { USUAL_FILE } from '../platform/file-place.ts';
import { type FileKind, FileWriter } from '../platform/file-writer.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import { allChannels, type ChannelRow, changeChannel, insertChannel } from '../store/channels.ts';
import { abandonDeliveries } from '../store/deliveries.ts';
import type { Writer } from '../store/ports.ts';
import { channelView } from './channel-view.ts';
import { channelColumns } from './stored-channel.ts';

/** An org of floe.yaml as far as its channels are concerned; `line` is where one stands in the file. */
export interface FileChannels {
  readonly id: string;
  /** Name of the file. */
  readonly file?: string;
  readonly channels: readonly { readonly config: ChannelConfig; readonly line: number | null }[];
}

/**
 * Writes the channels of floe.yaml to the store, so that every process can deliver to them, their secrets
 * sealed. A channel of the same name is taken over; one that left the file is disabled and keeps its history.
 * Every difference is audited with the actor `file`; no difference writes nothing.
 */
export async function syncFileChannels(
  writer: Writer,
  orgs: readonly FileChannels[],
  key: SecretsKey,
  nowMs: number,
): Promise<void> {
  const written = new FileWriter(CHANNELS, writer, nowMs);
  const stored = await allChannels(writer);
  const kept = new Set<string>();
  for (const { id: orgId, file = USUAL_FILE, channels } of orgs)
    for (const { config, line } of channels) {
      const row = stored.find((other) => other.org_id === orgId && other.name === config.name);
      if (row) kept.add(row.id);
      const place = row ?? { id: newId('chn', nowMs), org_id: orgId };
      const columns = {
        ...channelColumns(config, place, key, nowMs, row),
        enabled: 1,
        source: 'file',
        source_file: file,
        source_line: line,
      };
      if (row) await written.change(row, columns);
      else await written.create({ ...place, ...columns, ...UNUSED, created_at: nowMs, ...written.stamps });
    }
  for (const row of stored)
    if (row.source === 'file' && !kept.has(row.id)) {
      await written.change(row, { enabled: 0, source: 'console', source_file: null, source_line: null });
      await abandonDeliveries(writer, row, 'the channel was removed from floe.yaml', nowMs);
    }
}

const UNUSED = { leased_by: null, leased_until: 0, resting_until: 0, failures: 0 } as const;

const CHANNELS: FileKind<ChannelRow> = {
  kind: 'channels',
  subjectOf: ({ id }) => id,
  shown: channelView,
  insert: insertChannel,
  // It is tried again at once, however it failed before.
  update: (writer, { id }, change) => changeChannel(writer, id, { ...change, resting_until: 0 }),
};
