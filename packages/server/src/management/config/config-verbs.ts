import type { Verb } from '../verb.ts';
import { applyConfig, diffConfig } from './apply-config.ts';
import { getConfigEntry } from './config-entry.ts';
import { getConfigFile } from './config-file.ts';
import type { ConfigHost } from './config-host.ts';
import { exportConfig } from './export-config.ts';
import { getConfig } from './get-config.ts';

/** What the API does with the configuration as a whole. */
export function configVerbs(host: ConfigHost): readonly Verb[] {
  return [
    getConfig(host),
    getConfigFile(host),
    getConfigEntry(host),
    exportConfig(host),
    diffConfig(host),
    applyConfig(host),
  ];
}
