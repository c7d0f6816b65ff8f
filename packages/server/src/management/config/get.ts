import { createHash } from 'node:crypto';
import { runningConfig } from '@floe/contract/api/config';
import { allChannels } from '../../store/channels.ts';
import { entriesOfOrg } from '../../store/config-entries.ts';
import { rulesOfOrg } from '../../store/guardrail-rules.ts';
import { allBoards } from '../../store/monitoring/boards.ts';
import { monitorsOfOrg } from '../../store/monitoring/definitions.ts';
import type { Reader } from '../../store/ports.ts';
import { teamsOfOrg } from '../../store/teams.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { ConfigHost } from './config-host.ts';
import { exportOrg } from './exported.ts';
import { fileAnswer } from './file.ts';

export function getConfig(host: ConfigHost): Verb {
  return readVerb({
    name: 'config.get',
    method: 'GET',
    path: '/api/management/config',
    scope: 'management',
    summary: 'Read which configuration runs, when it was taken over, and what was refused since',
    answer: runningConfig,
    async run({ orgId, reader, clock }) {
      const { tree } = await exportOrg(reader, orgId, host, clock.now());
      return {
        version: createHash('sha256').update(JSON.stringify(tree)).digest('hex').slice(0, 16),
        ...fileAnswer(host.fileState(), orgId),
        counts: await countsOf(reader, orgId, host),
      };
    },
  });
}

interface Count {
  file: number;
  console: number;
}

/** How many resources of each kind stand where. */
async function countsOf(
  reader: Reader,
  orgId: string,
  { rules }: ConfigHost,
): Promise<Record<string, Count>> {
  const ofOrg = (row: { readonly org_id: string }) => row.org_id === orgId;
  const counted = (rows: readonly { readonly source: string }[]): Count => {
    const file = rows.filter(({ source }) => source === 'file').length;
    return { file, console: rows.length - file };
  };
  const entries = await entriesOfOrg(reader, orgId);
  const declared = rules.fileRules(orgId);
  return {
    teams: counted(await teamsOfOrg(reader, orgId)),
    channels: counted((await allChannels(reader)).filter(ofOrg)),
    monitors: counted((await monitorsOfOrg(reader, orgId)).filter(({ disabled_at }) => disabled_at === null)),
    boards: counted((await allBoards(reader)).filter(ofOrg)),
    limits: { file: declared.limits.length, console: (await rulesOfOrg(reader, 'limits', orgId)).length },
    budgets: { file: declared.budgets.length, console: (await rulesOfOrg(reader, 'budgets', orgId)).length },
    ...Object.fromEntries(
      ['providers', 'routes', 'policies', 'settings'].map((kind) => [
        kind,
        counted(entries.filter((entry) => entry.kind === kind)),
      ]),
    ),
  };
}
