import { createFileDownloadSchema, FileDownload } from '../file-download.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import { exportOrgConfig, omitMissingReferences } from './export-org-config.ts';

/**
 * Defines the operation that exports the organization as a floe.yaml that recreates it in another
 * installation.
 */
export function defineExportConfigOperation(dependencies: ConfigDependencies): Operation {
  return defineReadOperation({
    name: 'config.export',
    method: 'GET',
    path: '/api/management/config/export',
    scope: 'management',
    summary:
      'Export the organization as a floe.yaml; secrets are replaced with ${NAME}, and a comment in the file lists the variables',
    answer: createFileDownloadSchema('application/yaml'),
    async run({ orgId, reader, clock }) {
      const { org, placeholders } = await exportOrgConfig({
        reader,
        orgId,
        dependencies,
        nowMs: clock.now(),
      });
      const names = placeholders.describeAll();
      const comment =
        names.length === 0
          ? [`The current configuration of the organization "${orgId}".`]
          : [
              `The current configuration of the organization "${orgId}". Secrets are not exported. Set these variables before you use this file:`,
              ...names,
            ];
      const text = await dependencies.evaluationPool.run(orgId, 'formatOrg', {
        org: omitMissingReferences(org),
        comment,
      });
      return new FileDownload('application/yaml', `floe-${orgId}.yaml`, yieldOnce(text));
    },
  });
}

async function* yieldOnce(text: string): AsyncGenerator<string> {
  yield text;
}
