import { configFileStatus } from '@floe/contract/api/config';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { ConfigDependencies, ConfigFileStatus } from './config-dependencies.ts';

/**
 * Defines the operation that returns whether floe.yaml is loaded. It reads no table, because the
 * console requests it on every page to show rejected files.
 */
export function defineGetConfigFileStatusOperation(dependencies: ConfigDependencies): Operation {
  return defineReadOperation({
    name: 'config.file',
    method: 'GET',
    path: '/api/management/config/file',
    scope: 'management',
    summary: 'Read whether the last change to floe.yaml was applied, or why it was rejected',
    answer: configFileStatus,
    run: async ({ orgId }) => toConfigFileStatusResource(dependencies.getFileStatus(), orgId),
  });
}

/**
 * Returns the problems in a file that concern one organization. Problems of other organizations are
 * only counted.
 */
export function filterConfigProblemsForOrg(
  orgId: string,
  problems: readonly ConfigProblem[],
): readonly ConfigProblem[] {
  const visible = problems.filter(({ org }) => org === undefined || org === orgId);
  const others = problems.length - visible.length;
  if (others === 0) return problems;
  const count = others === 1 ? '1 problem' : `${others} problems`;
  return [...visible, { where: '', message: `${count} in the configuration of other organizations` }];
}

/** Converts the load state of floe.yaml to the API format, for one organization. */
export function toConfigFileStatusResource({ file, loadedAt, rejected }: ConfigFileStatus, orgId: string) {
  return {
    file,
    loaded_at: new Date(loadedAt).toISOString(),
    rejected: rejected && {
      at: new Date(rejected.at).toISOString(),
      problems: filterConfigProblemsForOrg(orgId, rejected.problems).map(({ where, message, position }) => ({
        where,
        message,
        line: position?.line ?? null,
        column: position?.column ?? null,
      })),
    },
  };
}
