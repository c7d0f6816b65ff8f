import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import { findNearestWord } from '@floe/contract/config/nearest-word';
import { LOG_LEVELS, type LogLevel } from '../core/log.ts';
import { ConfigError, type ConfigProblem } from './config-problem.ts';
import { readSecretFile } from './secret-file.ts';

/** The environment variables that override a field of floe.yaml. */
export const ENVIRONMENT_OVERRIDES = {
  FLOE_HOST: ['server', 'host'],
  FLOE_PORT: ['server', 'port'],
  FLOE_BASE_URL: ['server', 'base_url'],
  FLOE_PROCESSES: ['server', 'processes'],
  FLOE_SHUTDOWN_DELAY_MS: ['server', 'shutdown_delay_ms'],
  FLOE_DRAIN_TIMEOUT_MS: ['server', 'drain_timeout_ms'],
  FLOE_DATABASE_URL: ['storage', 'database'],
  FLOE_REDIS_URL: ['storage', 'shared'],
  FLOE_ACCESS_LOG: ['log', 'access', 'enabled'],
  FLOE_ACCESS_LOG_SAMPLE: ['log', 'access', 'sample'],
} as const satisfies Record<string, ConfigPath>;

/** Variables without a field in floe.yaml. */
const OTHER_VARIABLES = [
  'FLOE_CONFIG',
  'FLOE_DATA_DIR',
  'FLOE_SECRET_KEY',
  'FLOE_ENCRYPTION_KEYS',
  'FLOE_LOG_LEVEL',
  'FLOE_COMMIT',
] as const;

/**
 * The environment variables that contain a secret. For each, the variable with the suffix `_FILE`
 * names a file that contains the secret.
 */
export const SECRET_ENVIRONMENT_VARIABLES = [
  'FLOE_SECRET_KEY',
  'FLOE_ENCRYPTION_KEYS',
  'FLOE_DATABASE_URL',
  'FLOE_REDIS_URL',
] as const satisfies readonly (keyof typeof ENVIRONMENT_OVERRIDES | (typeof OTHER_VARIABLES)[number])[];

/** Variables with the same prefix that the scripts, the SDKs and the tests use. */
const NON_SERVER_VARIABLES = /^FLOE_(TEST_|BENCH_|RUNTIME_FORCE$|FIXTURES$|API_KEY$)/;

/**
 * Minimum number of characters. A key of 256 bits needs 32 bytes, and `openssl rand -hex 32` prints 64
 * characters.
 */
const SECRET_KEY_LENGTH = 32;

export interface EnvironmentOverride {
  readonly variable: string;
  readonly path: ConfigPath;
  readonly value: string;
}

export interface ServerEnvironment {
  /** FLOE_CONFIG: path of floe.yaml. */
  readonly configPath: string | undefined;
  /** FLOE_DATA_DIR. The default is `./.floe`. */
  readonly dataDir: string;
  /** FLOE_SECRET_KEY, the key-encryption key. If it is absent, Floe generates one in the data directory. */
  readonly secretKey: string | undefined;
  /**
   * FLOE_ENCRYPTION_KEYS. The first key encrypts credentials; the others only decrypt. If empty,
   * `secretKey` is used.
   */
  readonly encryptionKeys: readonly string[];
  /** FLOE_LOG_LEVEL. The default is `info`. */
  readonly logLevel: LogLevel;
  /** Values that override fields of floe.yaml. */
  readonly overrides: readonly EnvironmentOverride[];
  /** Unknown FLOE_* variables, each with the most similar known name. */
  readonly unknown: readonly { readonly name: string; readonly nearest: string | undefined }[];
  /** Any other variable, for `${NAME}` in floe.yaml and for credentials such as `OPENAI_API_KEY`. */
  variable(name: string): string | undefined;
  /** All variables, for a thread that reads floe.yaml. */
  variables(): Readonly<Record<string, string | undefined>>;
}

export interface ReadEnvironmentOptions {
  /**
   * Treats a missing file of a `_FILE` variable as a variable that is not set, for checks without secrets.
   */
  readonly allowMissingFiles?: boolean;
}

/** Reads the environment of this process. No other function reads `process.env`. */
export function readProcessEnvironment(options: ReadEnvironmentOptions = {}): ServerEnvironment {
  return readEnvironment(process.env, options);
}

/**
 * Reads every FLOE_* variable. An empty variable counts as not set, as in `FLOE_PORT= npm start`.
 *
 * @throws ConfigError that lists each invalid variable, but never its value
 */
export function readEnvironment(
  env: NodeJS.ProcessEnv,
  options: ReadEnvironmentOptions = {},
): ServerEnvironment {
  const files = readVariableFiles(env, options);
  const set = (name: string) => files.values.get(name) ?? (env[name] || undefined);
  const sourceOf = (name: string) => (files.values.has(name) ? `${name}_FILE` : name);
  const problems: ConfigProblem[] = [...files.problems];
  const level = set('FLOE_LOG_LEVEL') ?? 'info';
  const logLevel = LOG_LEVELS.find((known) => known === level);
  if (logLevel === undefined)
    problems.push({ where: 'FLOE_LOG_LEVEL', message: `must be one of ${LOG_LEVELS.join(', ')}` });
  const secretKey = set('FLOE_SECRET_KEY');
  if (secretKey !== undefined && secretKey.length < SECRET_KEY_LENGTH)
    problems.push({
      where: sourceOf('FLOE_SECRET_KEY'),
      message: `must be at least ${SECRET_KEY_LENGTH} characters long. To generate a key, run: openssl rand -hex 32`,
    });
  const encryptionKeys = splitList(set('FLOE_ENCRYPTION_KEYS'));
  if (encryptionKeys.some((key) => key.length < SECRET_KEY_LENGTH))
    problems.push({
      where: sourceOf('FLOE_ENCRYPTION_KEYS'),
      message: `must be a comma-separated list of keys, each at least ${SECRET_KEY_LENGTH} characters long. To generate a key, run: openssl rand -hex 32`,
    });
  if (logLevel === undefined || problems.length > 0) throw new ConfigError(null, problems);
  const overrides: EnvironmentOverride[] = [];
  for (const [variable, path] of Object.entries(ENVIRONMENT_OVERRIDES)) {
    const value = set(variable);
    if (value !== undefined) overrides.push({ variable: sourceOf(variable), path, value });
  }
  return {
    configPath: set('FLOE_CONFIG'),
    dataDir: set('FLOE_DATA_DIR') ?? './.floe',
    secretKey,
    encryptionKeys,
    logLevel,
    overrides,
    unknown: unknownVariables(Object.keys(env)),
    variable: (name) => env[name],
    variables: () => ({ ...env }),
  };
}

/** The secrets of the `_FILE` variables, by the name of the variable without the suffix. */
function readVariableFiles(env: NodeJS.ProcessEnv, { allowMissingFiles = false }: ReadEnvironmentOptions) {
  const values = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  for (const name of SECRET_ENVIRONMENT_VARIABLES) {
    const where = `${name}_FILE`;
    const path = env[where];
    if (!path) continue;
    if (env[name]) {
      problems.push({ where, message: `must not be set together with ${name}; unset one of them` });
      continue;
    }
    const result = readSecretFile(path);
    if ('content' in result) values.set(name, result.content);
    else if (!(result.isMissing && allowMissingFiles))
      problems.push({ where, message: `the file ${path} ${result.problem}` });
  }
  return { values, problems };
}

function splitList(text = ''): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function unknownVariables(names: readonly string[]): ServerEnvironment['unknown'] {
  const known = [
    ...Object.keys(ENVIRONMENT_OVERRIDES),
    ...OTHER_VARIABLES,
    ...SECRET_ENVIRONMENT_VARIABLES.map((name) => `${name}_FILE`),
  ];
  return names
    .filter((name) => name.startsWith('FLOE_') && !known.includes(name) && !NON_SERVER_VARIABLES.test(name))
    .map((name) => ({ name, nearest: findNearestWord(name, known) }));
}
