import type { ChannelConfig } from '@floe/contract/config';
import { newId } from '../core/ids.ts';
import { isPlace, type Placed, USUAL_FILE } from '../platform/file-place.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import { appendAudit } from '../store/audit.ts';
import {
  allChannels,
  type ChannelChange,
  type ChannelRow,
  changeChannel,
  insertChannel,
} from '../store/channels.ts';
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
  const stored = await allChannels(writer);
  const kept = new Set<string>();
  for (const { id: orgId, file = USUAL_FILE, channels } of orgs)
    for (const { config, line } of channels) {
      const row = stored.find((other) => other.org_id === orgId && other.name === config.name);
      if (row) kept.add(row.id);
      const own = { enabled: 1, source: 'file', source_file: file, source_line: line };
      if (row) await change(writer, row, { ...channelColumns(config, row, key, nowMs, row), ...own }, nowMs);
      else await create(writer, orgId, config, own, key, nowMs);
    }
  for (const row of stored)
    if (row.source === 'file' && !kept.has(row.id)) {
      const left = { enabled: 0, source: 'console', source_file: null, source_line: null };
      await change(writer, row, left, nowMs);
      await abandonDeliveries(writer, row, 'the channel was removed from floe.yaml', nowMs);
    }
}

async function create(
  writer: Writer,
  orgId: string,
  config: ChannelConfig,
  own: Required<Placed> & { readonly enabled: number },
  key: SecretsKey,
  nowMs: number,
): Promise<void> {
  const place = { id: newId('chn', nowMs), org_id: orgId };
  const row: ChannelRow = {
    ...place,
    ...channelColumns(config, place, key, nowMs),
    ...own,
    created_at: nowMs,
    updated_at: nowMs,
    updated_by: 'file',
    leased_by: null,
    leased_until: 0,
    resting_until: 0,
    failures: 0,
  };
  await insertChannel(writer, row);
  await audit(writer, 'channels.create', null, row, nowMs);
}

async function change(
  writer: Writer,
  row: ChannelRow,
  columns: ChannelChange & Partial<ChannelRow>,
  nowMs: number,
): Promise<void> {
  const before: Readonly<Record<string, unknown>> = { ...row };
  const differs = Object.entries(columns).filter(([column, value]) => before[column] !== value);
  if (differs.length === 0) return;
  const changed = { ...columns, updated_at: nowMs, updated_by: 'file', resting_until: 0 };
  await changeChannel(writer, row.id, changed);
  if (differs.some(([column]) => !isPlace(column)))
    await audit(writer, 'channels.update', row, { ...row, ...changed }, nowMs);
}

async function audit(
  writer: Writer,
  action: string,
  before: ChannelRow | null,
  after: ChannelRow,
  nowMs: number,
): Promise<void> {
  await appendAudit(writer, {
    id: newId('aud', nowMs),
    org_id: after.org_id,
    at: nowMs,
    actor: 'file',
    action,
    subject: after.id,
    before_json: before && JSON.stringify(channelView(before)),
    after_json: JSON.stringify(channelView(after)),
  });
}
