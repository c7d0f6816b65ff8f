import { statSync } from 'node:fs';
import { ConfigError, formatConfigProblem } from '../../config/config-problem.ts';
import type { ServerEnvironment } from '../../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { findPasswordSignInProblem } from '../../platform/sign-in/password-hash.ts';
import { findConfigFileIssues } from '../find-config-file-issues.ts';
import {
  createFailedFinding,
  createPassedFinding,
  createWarningFinding,
  type DoctorFinding,
} from './doctor-finding.ts';

const WRITABLE_BY_OTHERS = 0o022;

/** The findings about the configuration, and the configuration itself. */
export interface ConfigurationCheckResult {
  readonly findings: readonly DoctorFinding[];
  /** Null if the configuration cannot be used. */
  readonly loaded: LoadedConfig | null;
}

/** Loads the configuration as Floe does at startup, and checks the permissions of its file. */
export function checkConfiguration(env: ServerEnvironment): ConfigurationCheckResult {
  try {
    const loaded = loadConfig({ env, validateSemantics: findConfigFileIssues });
    const { path, warnings, inactiveFields } = loaded;
    return {
      loaded,
      findings: [
        createPassedFinding(
          'configuration',
          path === null ? 'no floe.yaml; defaults apply' : `${path} is valid`,
        ),
        ...warnings.map((text) =>
          createWarningFinding(
            'configuration',
            text,
            'Correct the name of the variable, or remove the variable.',
          ),
        ),
        ...inactiveFields.map((field) =>
          createWarningFinding(
            'configuration',
            `${field} has no effect in this version`,
            'Remove the field.',
          ),
        ),
        ...checkMode(path),
        ...checkPasswordSignIn(loaded.config.auth),
      ],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { loaded: null, findings: createConfigErrorFindings(error) };
  }
}

/** Returns one finding for each problem in the configuration or in environment variables. */
export function createConfigErrorFindings({ path, problems }: ConfigError): DoctorFinding[] {
  return problems.map((problem) =>
    createFailedFinding(
      'configuration',
      formatConfigProblem(path, problem),
      'Correct the configuration file or the environment variable, and run "floe config check".',
    ),
  );
}

function checkPasswordSignIn(auth: LoadedConfig['config']['auth']): DoctorFinding[] {
  const problem = findPasswordSignInProblem(auth);
  return problem ? [createWarningFinding('configuration', problem.message, problem.remedy)] : [];
}

function checkMode(path: string | null): DoctorFinding[] {
  if (path === null || process.platform === 'win32') return [];
  if ((statSync(path).mode & WRITABLE_BY_OTHERS) === 0) return [];
  const message = `other users of this machine can change ${path}`;
  return [createWarningFinding('configuration', message, `Run: chmod go-w ${path}`)];
}
