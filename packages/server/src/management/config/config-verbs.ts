import type { Verb } from '../verb.ts';
import { applyConfig, diffConfig } from './apply.ts';
import type { ConfigHost } from './config-host.ts';
import { getConfigEntry } from './entry.ts';
import { exportConfig } from './export.ts';
import { getConfigFile } from './file.ts';
import { getConfig } from './get.ts';

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
