import type { Verb } from '../verb.ts';
import { applyConfigVerb, diffConfigVerb } from './apply-config.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import { getConfigEntryVerb } from './config-entry.ts';
import { getConfigFileVerb } from './config-file-status.ts';
import { exportConfigVerb } from './export-config.ts';
import { getConfigVerb } from './get-config.ts';

/** All verbs for the configuration as a whole. */
export function configVerbs(dependencies: ConfigDependencies): readonly Verb[] {
  return [
    getConfigVerb(dependencies),
    getConfigFileVerb(dependencies),
    getConfigEntryVerb(dependencies),
    exportConfigVerb(dependencies),
    diffConfigVerb(dependencies),
    applyConfigVerb(dependencies),
  ];
}
