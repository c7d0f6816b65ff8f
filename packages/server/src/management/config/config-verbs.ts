import type { Verb } from '../verb.ts';
import { defineApplyConfigVerb, defineDiffConfigVerb } from './apply-config.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import { defineGetConfigEntryVerb } from './config-entry.ts';
import { defineGetConfigFileVerb } from './config-file-status.ts';
import { defineExportConfigVerb } from './export-config.ts';
import { defineGetConfigVerb } from './get-config.ts';

/** Returns all operations on the configuration as a whole. */
export function defineConfigVerbs(dependencies: ConfigDependencies): readonly Verb[] {
  return [
    defineGetConfigVerb(dependencies),
    defineGetConfigFileVerb(dependencies),
    defineGetConfigEntryVerb(dependencies),
    defineExportConfigVerb(dependencies),
    defineDiffConfigVerb(dependencies),
    defineApplyConfigVerb(dependencies),
  ];
}
