import { createHash } from 'node:crypto';
import type { OrgConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json } from '@floe/contract/json';
import { ConfigError, formatConfigPath, formatConfigProblem } from '../../config/config-problem.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { ConfigEnvironment, ConfigLoadOptions } from '../../config/parse-config.ts';
import { parseYamlDocument, toParsedYaml } from '../../config/yaml-document.ts';
import { findConfigIssues } from './find-config-issues.ts';
import { isSecretPath } from './secret-paths.ts';

type OrgConfigPath = readonly (string | number)[];

/** A document in the format of floe.yaml that is applied to one organization. */
export interface ConfigDocument extends Pick<ParsedConfigDocument, 'org' | 'ignored'> {
  /**
   * Whether the document contains a section of the org, or a field of a section. For a field of an entry in a list:
   * whether the document sets it to an empty map.
   */
  isSet(...path: OrgConfigPath): boolean;
  /**
   * Whether the document omits the value of a secret, so that the stored value remains. The path is relative
   * to the org.
   */
  keepsSecret(...path: OrgConfigPath): boolean;
  /** Omitted secrets: paths in the org as JSON, with the variable that each path names. */
  readonly keptSecrets: ReadonlyMap<string, string>;
}

/** The parsed document in plain values, as the worker thread returns it. */
export interface ParsedConfigDocument {
  readonly org: OrgConfig;
  /** Paths in the org that the document sets, as JSON: sections, their fields, and empty maps in entries of lists. */
  readonly set: ReadonlySet<string>;
  /** Omitted secrets, which keep their stored values: paths in the org as JSON, with their variables. */
  readonly kept: ReadonlyMap<string, string>;
  /** Parts that are not applied, with reasons. */
  readonly ignored: readonly string[];
}

/** Settings that the document of one org may omit, because the installation decides whether mail is sent. */
const INSTALLATION_OVERRIDES: ConfigEnvironment['overrides'] = [
  { variable: 'smtp.url', path: ['smtp', 'url'], value: 'smtp://installation.invalid' },
  { variable: 'smtp.from', path: ['smtp', 'from'], value: 'floe@installation.invalid' },
];

/** A configuration document as the client sent it. */
export interface ConfigDocumentInput {
  readonly yaml?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Parses and validates a document in the same way as floe.yaml. `${NAME}` is replaced only with
 * values in the request, never with values from the server's environment.
 *
 * @throws Fault `invalid_request` with the messages of `floe config check`
 */
export function parseConfigDocument({
  given,
  orgId,
  origin,
}: {
  readonly given: ConfigDocumentInput;
  readonly orgId: string;
  /** Whether a client submitted the document, or Floe exported it. */
  readonly origin: 'submitted' | 'exported';
}): ParsedConfigDocument {
  const text = origin === 'exported' ? '' : documentText(given);
  const yaml = origin === 'exported' ? toParsedYaml(given.config) : parseYamlDocument(text);
  const { tree, kept } = replaceKeptSecrets(yaml.tree, given.variables);
  const env: ConfigEnvironment = {
    configPath: undefined,
    dataDir: '.',
    overrides: INSTALLATION_OVERRIDES,
    unknown: [],
    variable: (name) => given.variables[name],
  };
  const loaded = loadDocument({ text, yaml: { ...yaml, tree } }, env, kept, origin === 'submitted');
  const { orgs } = loaded.config;
  const own = orgs.findIndex(({ id }) => id === orgId);
  const at = own === -1 && orgs.length === 1 ? 0 : own;
  const org = orgs[at];
  if (!org)
    throw new Fault(
      'invalid_request',
      `orgs: must contain exactly one organization, or an organization with the id "${orgId}"`,
      {
        param: 'orgs',
      },
    );
  const others = isJsonObject(tree) ? Object.keys(tree).filter((section) => section !== 'orgs') : [];
  return {
    org,
    set: findSetPaths(tree, at),
    kept: new Map(
      kept
        .filter(({ path: [, index] }) => index === at)
        .map(({ path: [, , ...path], name }) => [JSON.stringify(path), name]),
    ),
    ignored: others.map(
      (section) =>
        `${section}: applies to the whole installation and can be set only in the floe.yaml of the server`,
    ),
  };
}

function documentText({ yaml, config }: ConfigDocumentInput): string {
  if ((yaml === undefined) === (config === undefined))
    throw new Fault('invalid_request', 'Send exactly one of "yaml" and "config".', { param: 'yaml' });
  return yaml ?? JSON.stringify(config, null, 1);
}

/** Returns the paths that `isSet` finds. */
function findSetPaths(tree: Json, at: number): ReadonlySet<string> {
  const orgs = isJsonObject(tree) ? tree['orgs'] : null;
  const org: Json = (Array.isArray(orgs) ? orgs[at] : null) ?? null;
  const paths = new Set<string>();
  for (const [section, value] of Object.entries(isJsonObject(org) ? org : {})) {
    paths.add(JSON.stringify([section]));
    for (const field of Object.keys(isJsonObject(value) ? value : {}))
      paths.add(JSON.stringify([section, field]));
    for (const [index, entry] of Array.isArray(value) ? value.entries() : [])
      for (const [field, inner] of Object.entries(isJsonObject(entry) ? entry : {}))
        if (isJsonObject(inner) && Object.keys(inner).length === 0)
          paths.add(JSON.stringify([section, index, field]));
  }
  return paths;
}

function loadDocument(
  parsed: Pick<ConfigLoadOptions, 'text' | 'yaml'>,
  env: ConfigEnvironment,
  kept: readonly KeptPath[],
  isSubmitted: boolean,
) {
  try {
    const checks = isSubmitted ? { validateSemantics: findConfigIssues } : { ignoresReferences: true };
    return loadConfig({ ...parsed, env, ...checks });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first] = error.problems;
    const where = first?.where ?? '';
    throw new Fault(
      'invalid_request',
      [
        ...error.problems.map((problem) => formatConfigProblem(null, problem)),
        // Also list the omitted secrets, so that the client can set all missing variables at once.
        ...(error.problems.some(({ isUnset }) => isUnset)
          ? kept.slice(0, MAX_KEPT_LINES).map(formatKept)
          : []),
      ].join('\n'),
      where === '' ? {} : { param: where },
    );
  }
}

const VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/;
/**
 * In a proxy URL, only user and password are secret. An export writes `http://${NAME}@proxy.example:3128`.
 */
const PROXY_VARIABLE = /^https?:\/\/\$\{([A-Za-z_]\w*)\}@[^$]+$/;

function isProviderProxy([, , section, , field]: OrgConfigPath): boolean {
  return section === 'providers' && field === 'outbound';
}

/** Maximum number of listed secrets, equal to that of problems. */
const MAX_KEPT_LINES = 200;

function formatKept({ path, name }: KeptPath): string {
  return `${formatConfigPath(path)}: the environment variable ${name} is not set; set it unless Floe has already stored this secret`;
}

interface KeptPath {
  readonly path: OrgConfigPath;
  /** Name of the variable. */
  readonly name: string;
}

/**
 * Replaces secrets that consist of `${NAME}` only, where the request contains no value for the name, with values that
 * pass validation.
 */
function replaceKeptSecrets(tree: Json, variables: Readonly<Record<string, string>>) {
  const kept: KeptPath[] = [];
  const visit = (value: Json, path: OrgConfigPath): Json => {
    if (typeof value === 'string') {
      const isProxy = isProviderProxy(path);
      const name = (isProxy ? PROXY_VARIABLE : VARIABLE).exec(value)?.[1];
      if (name === undefined || variables[name] !== undefined) return value;
      const standIn = dummySecretFor(path, name);
      if (standIn === null) return value;
      kept.push({ path, name });
      return isProxy ? value.replace(`\${${name}}`, standIn) : standIn;
    }
    if (Array.isArray(value)) return value.map((entry: Json, index) => visit(entry, [...path, index]));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, visit(inner ?? null, [...path, key])]),
    );
  };
  return { tree: visit(tree, []), kept };
}

/**
 * A value that passes validation in place of a stored secret. Null if the path accepts none. Equal variables
 * have equal values, so that two documents can be compared.
 */
function dummySecretFor(path: OrgConfigPath, variable: string): string | null {
  const [orgs, , ...place] = path;
  if (orgs !== 'orgs' || !isSecretPath(place)) return null;
  const [section, , field] = place;
  if (section === 'keys') return `eis_${createHash('sha256').update(variable).digest('hex')}`;
  return section === 'channels' && field === 'url' ? 'https://stored.invalid/' : 'stored';
}
