import { configFile } from '@floe/contract/api/config';
import type { Problem } from '../../config/problem.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { ConfigHost, FileState } from './config-host.ts';

/** What the console asks on every page, so that nobody takes a refused file for the running one: reads no table. */
export function getConfigFile(host: ConfigHost): Verb {
  return readVerb({
    name: 'config.file',
    method: 'GET',
    path: '/api/management/config/file',
    scope: 'management',
    summary: 'Read whether the last change of floe.yaml was taken over, and what was wrong with it',
    answer: configFile,
    run: async ({ orgId }) => fileAnswer(host.fileState(), orgId),
  });
}

/** What is wrong with a file, as one org may know it: of what stands in it about others, only how much that is. */
export function problemsFor(orgId: string, problems: readonly Problem[]): readonly Problem[] {
  const told = problems.filter(({ org }) => org === undefined || org === orgId);
  const others = problems.length - told.length;
  if (others === 0) return problems;
  const count = others === 1 ? '1 mistake' : `${others} mistakes`;
  return [...told, { where: '', message: `${count} in what it says about other organizations` }];
}

/** The state of the file as the API tells it to an org. */
export function fileAnswer({ file, loadedAt, refused }: FileState, orgId: string) {
  return {
    file,
    loaded_at: new Date(loadedAt).toISOString(),
    refused: refused && {
      at: new Date(refused.at).toISOString(),
      problems: problemsFor(orgId, refused.problems).map(({ where, message, position }) => ({
        where,
        message,
        line: position?.line ?? null,
        column: position?.column ?? null,
      })),
    },
  };
}
