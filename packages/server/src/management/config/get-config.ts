import { createHash } from 'node:crypto';
import { runningConfig } from '@floe/contract/api/config';
import { readVerb, type Verb } from '../verb.ts';
import { fileAnswer } from './config-file.ts';
import type { ConfigHost } from './config-host.ts';
import type { OrgReading } from './document-kind.ts';
import { KINDS } from './document-kinds.ts';
import { exportOrg } from './exported-document.ts';

export function getConfig(host: ConfigHost): Verb {
  return readVerb({
    name: 'config.get',
    method: 'GET',
    path: '/api/management/config',
    scope: 'management',
    summary: 'Read which configuration runs, when it was taken over, and what was refused since',
    answer: runningConfig,
    async run({ orgId, reader, clock }) {
      const reading = { reader, orgId, host, nowMs: clock.now() };
      const { tree } = await exportOrg(reading);
      return {
        version: createHash('sha256').update(JSON.stringify(tree)).digest('hex').slice(0, 16),
        ...fileAnswer(host.fileState(), orgId),
        counts: await countsOf(reading),
      };
    },
  });
}

/** How many resources of each kind are defined where. */
async function countsOf(reading: OrgReading) {
  const counts: Record<string, { file: number; console: number }> = {};
  for (const { kind, existing } of KINDS) {
    if (existing === undefined) continue;
    const objects = await existing(reading);
    const of = (wanted: string) => objects.filter(({ source }) => source === wanted).length;
    counts[kind] = { file: of('file'), console: of('console') };
  }
  return counts;
}
