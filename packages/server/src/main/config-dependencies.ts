import { type ConfigProblem, formatProblem } from '../config/config-problem.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { ConfigDependencies } from '../management/config/config-dependencies.ts';
import { filterProblemsForOrg } from '../management/config/config-file-status.ts';
import { configFileName } from '../platform/declared-resources.ts';
import { runAndRollBack } from '../store/run-and-roll-back.ts';
import type { ServerComponents } from './server-components.ts';

/** The file that runs, and what became of the ones after it. */
export interface ConfigFileState {
  loaded: LoadedConfig;
  loadedAt: number;
  rejected: { readonly at: number; readonly problems: readonly ConfigProblem[] } | null;
}

/** What the verbs of the whole configuration stand on. */
export function createConfigDependencies(
  { database, pepper }: ServerComponents,
  history: ConfigFileState,
  dependencies: Pick<ConfigDependencies, 'rules' | 'providers'>,
): Omit<ConfigDependencies, 'listVerbs' | 'evaluationPool'> {
  return {
    getFileStatus: () => ({
      file: history.loaded.path === null ? null : configFileName(history.loaded),
      loadedAt: history.loadedAt,
      rejected: history.rejected,
    }),
    dryRun: (work) => runAndRollBack(database, work),
    ...dependencies,
    pepper,
  };
}

/** The last change of the file that does not run, by its first problem that this org may know. */
export function findConfigRejection({ rejected, loaded }: ConfigFileState, orgId: string) {
  const [first] = filterProblemsForOrg(orgId, rejected?.problems ?? []);
  return rejected && first
    ? { atMs: rejected.at, problem: formatProblem(loaded.path, first), file: configFileName(loaded) }
    : null;
}
