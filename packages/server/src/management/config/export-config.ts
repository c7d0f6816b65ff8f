import { writeYaml } from '../../config/write.ts';
import { Download, download } from '../download.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { ConfigHost } from './config-host.ts';
import { exportOrg } from './exported-document.ts';

/** Text of a floe.yaml that gives another installation the same org. */
export function exportConfig(host: ConfigHost): Verb {
  return readVerb({
    name: 'config.export',
    method: 'GET',
    path: '/api/management/config/export',
    scope: 'management',
    summary: 'Write the whole org as a floe.yaml; secrets are ${NAME}, with a list of what to set',
    answer: download('application/yaml'),
    async run({ orgId, reader, clock }) {
      const { tree, placeholders } = await exportOrg({ reader, orgId, host, nowMs: clock.now() });
      const names = placeholders.lines();
      const comment =
        names.length === 0
          ? [`The org "${orgId}" as it runs.`]
          : [`The org "${orgId}" as it runs. Secrets are not told; set these before it is used:`, ...names];
      return new Download('application/yaml', `floe-${orgId}.yaml`, once(writeYaml(tree, comment)));
    },
  });
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
