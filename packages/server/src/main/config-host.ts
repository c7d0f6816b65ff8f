import type { LoadedConfig } from '../config/load.ts';
import { formatProblem, type Problem } from '../config/problem.ts';
import { problemsFor } from '../management/config/config-file.ts';
import type { ConfigHost } from '../management/config/config-host.ts';
import { fileNameOf } from '../platform/file-org.ts';
import { rehearse } from '../store/rehearse.ts';
import type { Parts } from './parts.ts';

/** The file that runs, and what became of the ones after it. */
export interface FileHistory {
  loaded: LoadedConfig;
  loadedAt: number;
  refused: { readonly at: number; readonly problems: readonly Problem[] } | null;
}

/** What the verbs of the whole configuration stand on. */
export function configHost(
  { database, pepper }: Parts,
  history: FileHistory,
  rooms: Pick<ConfigHost, 'rules' | 'providers'>,
): Omit<ConfigHost, 'verbs' | 'trials'> {
  return {
    fileState: () => ({
      file: history.loaded.path === null ? null : fileNameOf(history.loaded),
      loadedAt: history.loadedAt,
      refused: history.refused,
    }),
    rehearse: (work) => rehearse(database, work),
    ...rooms,
    pepper,
  };
}

/** The last change of the file that does not run, by its first problem that this org may know. */
export function configRefusal({ refused, loaded }: FileHistory, orgId: string) {
  const [first] = problemsFor(orgId, refused?.problems ?? []);
  return refused && first
    ? { atMs: refused.at, problem: formatProblem(loaded.path, first), file: fileNameOf(loaded) }
    : null;
}
