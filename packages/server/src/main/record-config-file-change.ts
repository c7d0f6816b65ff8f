import { createHash } from 'node:crypto';
import type { LoadedConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { auditConfigFileChange } from '../platform/audit-config-file-change.ts';
import { getSetting, storeSetting } from '../store/settings.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/** The setting with the hash of the last file whose change is in the audit log. */
const RECORDED_FILE_SETTING = 'recorded_config_file';

/**
 * Records a change of floe.yaml in the audit log. All processes load the changed file, but the change is
 * recorded only once, by the first process that loads it. No particular process does this, because any of them
 * can fail or be restarting.
 * @param before the file that `loaded` replaces; null when the process starts
 */
export async function recordConfigFileChange(
  writer: DatabaseWriter,
  loaded: LoadedConfig,
  before: LoadedConfig | null,
  processNumber: number,
): Promise<void> {
  const file = createHash('sha256').update(loaded.text).digest('base64url');
  if (before === null) {
    // The other processes may start while a change is loaded, and must not prevent its entry.
    if (processNumber === 1) await storeSetting(writer, RECORDED_FILE_SETTING, file);
    return;
  }
  // If only a secret file has changed, the text is the same.
  const isRecorded =
    loaded.text === before.text
      ? processNumber !== 1
      : (await getSetting(writer, RECORDED_FILE_SETTING)) === file;
  if (isRecorded) return;
  await auditConfigFileChange(writer, before.config, loaded.config, systemClock.now());
  await storeSetting(writer, RECORDED_FILE_SETTING, file);
}
