import type { Operation } from '../operation.ts';
import { defineApplyConfigOperation, defineDiffConfigOperation } from './apply-config.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import { defineGetConfigEntryOperation } from './config-entry.ts';
import { defineGetConfigFileStatusOperation } from './config-file-status.ts';
import { defineExportConfigOperation } from './export-config.ts';
import { defineGetConfigOperation } from './get-config.ts';

/** Returns all operations on the configuration as a whole. */
export function defineConfigOperations(dependencies: ConfigDependencies): readonly Operation[] {
  return [
    defineGetConfigOperation(dependencies),
    defineGetConfigFileStatusOperation(dependencies),
    defineGetConfigEntryOperation(dependencies),
    defineExportConfigOperation(dependencies),
    defineDiffConfigOperation(dependencies),
    defineApplyConfigOperation(dependencies),
  ];
}
