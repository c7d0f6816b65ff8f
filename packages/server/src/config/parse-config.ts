import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FloeConfig, FloeConfigSchema } from '@floe/contract/config';
import {
  type ConfigIssue,
  type ConfigPath,
  findCrossObjectIssues,
} from '@floe/contract/config/cross-object-rules';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findNulCharacter, NUL_CHARACTER_MESSAGE } from '../core/unstorable-characters.ts';
import { ConfigError, type ConfigProblem, formatConfigPath } from './config-problem.ts';
import type { EnvironmentOverride, ServerEnvironment } from './environment.ts';
import { type ExplainedIssue, explainIssue } from './explain-issue.ts';
import { findIndependentIssues } from './find-independent-issues.ts';
import { findInactiveFields } from './inactive-fields.ts';
import { createSecretFileReader } from './secret-file.ts';
import { type PositionTable, SourcePositions } from './source-positions.ts';
import { coerceScalar, type SubstitutionResult, substituteVariables } from './substitute-variables.ts';
import { type ParsedYaml, parseYamlDocument } from './yaml-document.ts';

/**
 * The default path of the configuration file, relative to the working directory. FLOE_CONFIG
 * overrides it. The server also starts if the file does not exist, and loads the file when it is
 * created.
 */
export const DEFAULT_CONFIG_FILE = 'floe.yaml';

/** The environment settings that determine the configuration. */
export type ConfigEnvironment = Pick<
  ServerEnvironment,
  'configPath' | 'dataDir' | 'overrides' | 'unknown' | 'variable'
>;

export interface ConfigLoadOptions {
  /**
   * Path of the file, or `-` for standard input. Default: FLOE_CONFIG, or `floe.yaml` in the working directory
   * if it exists.
   */
  readonly path?: string;
  /** Text to parse instead of `path`. It must not contain `${file:PATH}`. */
  readonly text?: string;
  /** The parsed document. If it is given, `text` is not parsed. */
  readonly yaml?: ParsedYaml;
  /** Content of `path`, if it was already read. */
  readonly fileText?: string;
  readonly env: ConfigEnvironment;
  /**
   * Checks of higher layers, such as compiling the conditions of policies. Called only with a valid
   * configuration. If the only problems are unset variables, it is the part that does not depend on them.
   */
  readonly validateSemantics?: (config: FloeConfig) => readonly SemanticIssue[];
  /** Does not check whether the resources that others refer to exist. */
  readonly ignoresReferences?: boolean;
}

/** An issue that a check of a higher layer found. */
export type SemanticIssue = ConfigIssue & Pick<ConfigProblem, 'isUnset'>;

/** A valid configuration as plain data, so that a thread can send it. */
export interface ParsedConfig extends ConfigFileText {
  /** Complete with defaults. */
  readonly config: FloeConfig;
  readonly positions: PositionTable;
  /** Fields that the file sets although they have no effect, such as `telemetry.otlp_endpoint (line 40)`. */
  readonly inactiveFields: readonly string[];
  /** Findings that do not prevent the start, such as unknown FLOE_* variables. */
  readonly warnings: readonly string[];
}

/** The path and the text of a configuration file. */
export interface ConfigFileText {
  /** Path of the file, or null if there is none. */
  readonly path: string | null;
  /** Content of the file. Empty if there is none. */
  readonly text: string;
}

/**
 * Parses floe.yaml, substitutes `${…}`, applies FLOE_* variables, validates, and adds defaults.
 * Precedence: environment, file, default.
 *
 * @throws ConfigError, which lists every problem with its position. It never contains configured values.
 */
export function parseConfig(options: ConfigLoadOptions): ParsedConfig {
  const source = readSource(options);
  const yaml = options.yaml ?? parseYamlDocument(source.text);
  if (yaml.problems.length > 0) throw new ConfigError(source.path, yaml.problems);
  const positions = new SourcePositions(yaml.positions);
  if (yaml.tree !== null && !isJsonObject(yaml.tree))
    throw new ConfigError(source.path, [
      {
        where: '',
        message: 'must be a map with sections such as server and orgs',
        position: positions.positionOf([]),
      },
    ]);
  const { env } = options;
  const substitution = substituteVariables(
    yaml.tree ?? {},
    FloeConfigSchema,
    (name) => env.variable(name),
    options.text === undefined && source.path !== null
      ? createSecretFileReader(dirname(source.path))
      : undefined,
  );
  const tree = applyEnvironment(substitution.tree, env);
  const result = FloeConfigSchema.safeParse(tree);
  const problems = findProblems(tree, result.error?.issues ?? [], {
    positions,
    substitution,
    overrides: env.overrides,
    references: [
      ...findUnstorableText(tree),
      ...(options.ignoresReferences ? [] : findCrossObjectIssues(tree)),
    ],
  });
  if (options.validateSemantics && problems.length > 0 && problems.every(({ isUnset }) => isUnset)) {
    const unset = substitution.faults.map(({ path }) => path);
    const issues = findIndependentIssues(tree, unset, options.validateSemantics).slice(0, MAX_PROBLEMS);
    problems.push(...issues.map((issue) => toConfigProblem(issue, tree, positions)));
    problems.sort(compareByPosition);
  }
  if (!result.success || problems.length > 0) throw new ConfigError(source.path, problems);
  const config: FloeConfig = result.data;
  const found = options.validateSemantics?.(config).slice(0, MAX_PROBLEMS) ?? [];
  if (found.length > 0)
    throw new ConfigError(
      source.path,
      found.map((issue) => toConfigProblem(issue, config, positions)),
    );
  return {
    ...source,
    config,
    positions: yaml.positions,
    inactiveFields: findInactiveFields(
      FloeConfigSchema,
      config,
      (path) => positions.sets(path),
      (path) => positions.lineOf(path),
    ),
    warnings: unknownVariableWarnings(env, substitution.names),
  };
}

/**
 * Adds the position in the file to an issue.
 * @param config the parsed configuration, or the unvalidated values from the file
 * @param at path of the position to report, if it is not `path`
 */
export function toConfigProblem(
  { path, message, isUnset }: SemanticIssue,
  config: unknown,
  positions: SourcePositions,
  at = path,
): ConfigProblem {
  const org = orgIdAt(config, path);
  return {
    where: formatConfigPath(path),
    message,
    position: positions.positionOf(at),
    ...(org !== null && { org }),
    ...(isUnset && { isUnset }),
  };
}

/** The text to load and the path of its file. */
function readSource({ path, text, fileText, env }: ConfigLoadOptions): ConfigFileText {
  if (text !== undefined) return { path: path ?? null, text };
  const named = path ?? env.configPath;
  const file = named ?? DEFAULT_CONFIG_FILE;
  if (fileText !== undefined) return { path: file, text: fileText };
  try {
    const bytes = path === '-' ? readFileSync(0) : readFileSync(file);
    return {
      path: path === '-' ? '<stdin>' : file,
      text: new TextDecoder('utf-8', { fatal: true }).decode(bytes),
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && named === undefined) return { path: null, text: '' };
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw createInvalidUtf8Error(file);
    throw new ConfigError(file, [
      {
        where: file,
        message: `cannot be read (${code}); check that the file exists and that Floe is allowed to read it`,
      },
    ]);
  }
}

export function createInvalidUtf8Error(file: string): ConfigError {
  return new ConfigError(file, [
    { where: file, message: 'is not valid UTF-8; save the file with UTF-8 encoding' },
  ]);
}

/** At most one issue: text that a database cannot store. */
function findUnstorableText(tree: Json): readonly ConfigIssue[] {
  const path = findNulCharacter(tree);
  return path === null ? [] : [{ path, message: NUL_CHARACTER_MESSAGE }];
}

/** Applies FLOE_* variables to the tree. The data directory determines the default database. */
function applyEnvironment(tree: Json, env: ConfigEnvironment): Json {
  let result = tree;
  const database: ConfigPath = ['storage', 'database'];
  if (!hasValue(result, database)) result = withValue(result, database, `sqlite:${env.dataDir}/floe.db`);
  for (const { path, value } of env.overrides)
    result = withValue(result, path, coerceScalar(value, FloeConfigSchema, path));
  return result;
}

function withValue(tree: Json | undefined, [step, ...rest]: ConfigPath, value: Json): Json {
  if (step === undefined) return value;
  // The schema reports a section of the wrong type later.
  if (tree !== undefined && !isJsonObject(tree)) return tree;
  return { ...tree, [step]: withValue(tree?.[step], rest, value) } satisfies JsonObject;
}

function hasValue(tree: Json, path: ConfigPath): boolean {
  let here: Json | undefined = tree;
  for (const step of path)
    here = Array.isArray(here) ? here[Number(step)] : isJsonObject(here) ? here[step] : undefined;
  return here !== undefined;
}

type SchemaIssues = NonNullable<ReturnType<typeof FloeConfigSchema.safeParse>['error']>['issues'];

/** Maximum number of reported problems. */
const MAX_PROBLEMS = 200;

/** The sources of the values of a configuration. */
interface ValueSources {
  readonly positions: SourcePositions;
  readonly substitution: SubstitutionResult;
  readonly overrides: readonly EnvironmentOverride[];
}

/** All problems in the order of the file. A value whose substitution failed is reported once. */
function findProblems(
  tree: Json,
  schemaIssues: SchemaIssues,
  {
    positions,
    substitution,
    overrides,
    references,
  }: ValueSources & { readonly references: readonly ConfigIssue[] },
): ConfigProblem[] {
  const unset = new Set(substitution.faults.map((fault) => formatConfigPath(fault.path)));
  const found: ExplainedIssue[] = [
    ...schemaIssues
      .slice(0, MAX_PROBLEMS)
      .flatMap((issue) => explainIssue(issue, { schema: FloeConfigSchema, tree })),
    ...references.map((issue) => ({ ...issue, at: issue.path })),
  ]
    .filter((issue) => !unset.has(formatConfigPath(issue.path)))
    .slice(0, MAX_PROBLEMS);
  const all: readonly (ExplainedIssue & Pick<ConfigProblem, 'isUnset'>)[] = [
    ...substitution.faults.slice(0, MAX_PROBLEMS).map((fault) => ({ ...fault, at: fault.path })),
    ...found,
  ];
  const problems = all.map(({ path, at, message, isUnset }): ConfigProblem => {
    const override = overrides.find(
      (candidate) => formatConfigPath(candidate.path) === formatConfigPath(path),
    );
    if (override !== undefined) return { where: override.variable, message };
    const names = unset.has(formatConfigPath(path)) ? [] : [...new Set(substitution.namesAt(path))];
    const origin = names.length === 0 ? '' : ` (from ${names.map((name) => `\${${name}}`).join(', ')})`;
    const issue = { path, message: `${message}${origin}`, ...(isUnset && { isUnset }) };
    return toConfigProblem(issue, tree, positions, at);
  });
  return problems.sort(compareByPosition);
}

/** Id of the organization whose section contains a path, or null. */
function orgIdAt(config: unknown, [section, index]: ConfigPath): string | null {
  const orgs = isJsonObject(config) && section === 'orgs' ? config['orgs'] : null;
  const org = Array.isArray(orgs) && typeof index === 'number' ? orgs[index] : null;
  return isJsonObject(org) && typeof org['id'] === 'string' ? org['id'] : null;
}

function compareByPosition(a: ConfigProblem, b: ConfigProblem): number {
  const lines = (a.position?.line ?? 0) - (b.position?.line ?? 0);
  return lines === 0 ? (a.position?.column ?? 0) - (b.position?.column ?? 0) : lines;
}

function unknownVariableWarnings(env: ConfigEnvironment, used: ReadonlySet<string>): string[] {
  return env.unknown
    .filter(({ name }) => !used.has(name))
    .map(
      ({ name, nearest }) =>
        `unknown environment variable ${name}${nearest ? `; did you mean ${nearest}?` : ''}`,
    );
}
