import { type ConfigProblem, formatConfigProblem } from '../config/config-problem.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { ConfigDependencies } from '../management/config/config-dependencies.ts';
import { filterConfigProblemsForOrg } from '../management/config/config-file-status.ts';
import { getConfigFileName } from '../platform/declared-resources.ts';
import { runAndRollBack } from '../store/run-and-roll-back.ts';
import type { ServerComponents } from './server-components.ts';

/** The configuration file in use, and why a later version of it was rejected. */
export interface ConfigFileLoadState {
  loaded: LoadedConfig;
  loadedAt: number;
  rejected: { readonly at: number; readonly problems: readonly ConfigProblem[] } | null;
}

/** Creates the dependencies of the operations on the whole configuration. */
export function createConfigDependencies(
  { database, pepper }: ServerComponents,
  history: ConfigFileLoadState,
  dependencies: Pick<ConfigDependencies, 'rules' | 'providers'>,
): Omit<ConfigDependencies, 'listOperations' | 'evaluationPool'> {
  return {
    getFileStatus: () => ({
      // A file that was rejected at the first start also has a name.
      file:
        history.loaded.path === null && history.rejected === null ? null : getConfigFileName(history.loaded),
      loadedAt: history.loadedAt,
      rejected: history.rejected,
    }),
    dryRun: (work) => runAndRollBack(database, work),
    ...dependencies,
    pepper,
  };
}

/**
 * Returns the latest rejected version of the file, with the first problem that this organization may see.
 * Returns null if no version was rejected.
 */
export function findConfigRejection({ rejected, loaded }: ConfigFileLoadState, orgId: string) {
  const [first] = filterConfigProblemsForOrg(orgId, rejected?.problems ?? []);
  return rejected && first
    ? { atMs: rejected.at, problem: formatConfigProblem(loaded.path, first), file: getConfigFileName(loaded) }
    : null;
}
