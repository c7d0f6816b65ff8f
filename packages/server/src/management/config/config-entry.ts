import { configEntry, configEntryParams } from '@floe/contract/api/config';
import { Fault } from '@floe/contract/faults';
import { writeYaml } from '../../config/write.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { ConfigHost } from './config-host.ts';
import { exportEntry } from './exported-document.ts';

/** Text for floe.yaml that says one resource, for whoever changes it there. */
export function getConfigEntry(host: ConfigHost): Verb {
  return readVerb({
    name: 'config.entry',
    method: 'GET',
    path: '/api/management/config/entries/{kind}/{id}',
    scope: 'management',
    summary: 'Write one resource as floe.yaml would say it; secrets are ${NAME}',
    params: configEntryParams,
    answer: configEntry,
    async run({ orgId, reader, clock }, { params }) {
      const tree = await exportEntry({ reader, orgId, host, nowMs: clock.now() }, params);
      if (!tree) throw new Fault('not_found', `There is nothing called "${params.id}" in ${params.kind}.`);
      return { yaml: writeYaml(tree, []) };
    },
  });
}
