import { configFile } from '@floe/contract/api/config';
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
    run: async () => fileAnswer(host.fileState()),
  });
}

/** The state of the file as the API tells it. */
export function fileAnswer({ file, loadedAt, refused }: FileState) {
  return {
    file,
    loaded_at: new Date(loadedAt).toISOString(),
    refused: refused && {
      at: new Date(refused.at).toISOString(),
      problems: refused.problems.map(({ where, message, position }) => ({
        where,
        message,
        line: position?.line ?? null,
        column: position?.column ?? null,
      })),
    },
  };
}
