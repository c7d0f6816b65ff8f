import { configEntry, configEntryParams } from '@floe/contract/api/config';
import { Fault } from '@floe/contract/faults';
import { formatYaml } from '../../config/format-yaml.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import { exportConfigEntry } from './export-org-config.ts';

/**
 * Defines the operation that returns one resource in floe.yaml format, so that a person can copy it
 * into the file.
 */
export function defineGetConfigEntryOperation(dependencies: ConfigDependencies): Operation {
  return defineReadOperation({
    name: 'config.entry',
    method: 'GET',
    path: '/api/management/config/entries/{kind}/{id}',
    scope: 'management',
    summary: 'Export one resource in floe.yaml format; secrets are replaced with ${NAME}',
    params: configEntryParams,
    answer: configEntry,
    async run({ orgId, reader, clock }, { params }) {
      const tree = await exportConfigEntry({ reader, orgId, dependencies, nowMs: clock.now() }, params);
      if (!tree) throw new Fault('not_found', `The section "${params.kind}" has no entry "${params.id}".`);
      return { yaml: formatYaml(tree, []) };
    },
  });
}
