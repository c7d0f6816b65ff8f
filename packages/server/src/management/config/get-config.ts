import { createHash } from 'node:crypto';
import { runningConfigStatus } from '@floe/contract/api/config';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import { toConfigFileStatusResource } from './config-file-status.ts';
import type { OrgReadContext } from './document-resource-kind.ts';
import { DOCUMENT_RESOURCE_KINDS } from './document-resource-kinds.ts';
import { exportOrgConfig } from './export-org-config.ts';
import { toYamlTree } from './format-org-config.ts';

/** Defines the operation that returns the configuration in use (`GET /api/management/config`). */
export function defineGetConfigOperation(dependencies: ConfigDependencies): Operation {
  return defineReadOperation({
    name: 'config.get',
    method: 'GET',
    path: '/api/management/config',
    scope: 'management',
    summary:
      'Read the version and the resource counts of the running configuration, the time when the last change to floe.yaml was applied, and the last rejected change since then',
    answer: runningConfigStatus,
    async run({ orgId, reader, clock }) {
      const context = { reader, orgId, dependencies, nowMs: clock.now() };
      const { org } = await exportOrgConfig(context);
      return {
        version: createHash('sha256')
          .update(JSON.stringify(toYamlTree({ orgs: [org] })))
          .digest('hex')
          .slice(0, 16),
        ...toConfigFileStatusResource(dependencies.getFileStatus(), orgId),
        counts: await countResources(context),
      };
    },
  });
}

/** Counts the resources of each kind by source. */
async function countResources(context: OrgReadContext) {
  const counts: Record<string, { file: number; console: number }> = {};
  for (const { kind, listExisting } of DOCUMENT_RESOURCE_KINDS) {
    if (listExisting === undefined) continue;
    const objects = await listExisting(context);
    const of = (wanted: string) => objects.filter(({ source }) => source === wanted).length;
    counts[kind] = { file: of('file'), console: of('console') };
  }
  return counts;
}
