import { createHash } from 'node:crypto';
import type { LoadedConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { auditConfigFileChange } from '../platform/audit-config-file-change.ts';
import { getSetting, storeSetting } from '../store/settings.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/** The setting with the hash of the last file whose change is in the audit log, and the time of the entry. */
const RECORDED_FILE_SETTING = 'recorded_config_file';
/** All processes of an installation load a changed file within this time. */
const SAME_CHANGE_MS = 10 * 60_000;

/**
 * Records a change of floe.yaml in the audit log. All processes load the changed file, but the change is recorded
 * only once, by the first process that loads the file. This is not the task of a fixed process, because any process can fail or be
 * restarting.
 * @param before the file that `loaded` replaces; null when the process starts, which records nothing
 */
export async function auditConfigFileChangeOnce(
  writer: DatabaseWriter,
  loaded: LoadedConfig,
  before: LoadedConfig | null,
  processNumber: number,
): Promise<void> {
  if (before === null) return;
  const file = createHash('sha256').update(loaded.text).digest('base64url');
  const now = systemClock.now();
  const [recorded, at] = (await getSetting(writer, RECORDED_FILE_SETTING))?.split(' ') ?? [];
  // If only a secret file has changed, the text is the same.
  const isRecorded =
    loaded.text === before.text
      ? processNumber !== 1
      : recorded === file && now - Number(at) < SAME_CHANGE_MS;
  if (isRecorded) return;
  await auditConfigFileChange(writer, before.config, loaded.config, now);
  await storeSetting(writer, RECORDED_FILE_SETTING, `${file} ${now}`);
}
