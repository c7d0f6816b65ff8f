import { writeYaml } from '../../config/write-yaml.ts';
import { FileDownload, fileDownloadSchema } from '../file-download.ts';
import { defineReadVerb, type Verb } from '../verb.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import { exportOrg } from './export-org.ts';

/** Text of a floe.yaml that gives another installation the same org. */
export function exportConfigVerb(dependencies: ConfigDependencies): Verb {
  return defineReadVerb({
    name: 'config.export',
    method: 'GET',
    path: '/api/management/config/export',
    scope: 'management',
    summary: 'Write the whole org as a floe.yaml; secrets are ${NAME}, with a list of what to set',
    answer: fileDownloadSchema('application/yaml'),
    async run({ orgId, reader, clock }) {
      const { tree, placeholders } = await exportOrg({ reader, orgId, dependencies, nowMs: clock.now() });
      const names = placeholders.describeAll();
      const comment =
        names.length === 0
          ? [`The org "${orgId}" as it runs.`]
          : [`The org "${orgId}" as it runs. Secrets are not told; set these before it is used:`, ...names];
      return new FileDownload('application/yaml', `floe-${orgId}.yaml`, yieldOnce(writeYaml(tree, comment)));
    },
  });
}

async function* yieldOnce(text: string): AsyncGenerator<string> {
  yield text;
}
