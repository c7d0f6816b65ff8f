import type { OrgConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isObject, type Json } from '@floe/contract/json';
import { ConfigError, formatConfigPath, formatProblem } from '../../config/config-problem.ts';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { readYaml } from '../../config/yaml-document.ts';
import { findConfigIssues } from './find-config-issues.ts';
import { isSecretPath } from './secret-paths.ts';

type OrgConfigPath = readonly (string | number)[];

/** A floe.yaml as it is to be applied to one org. */
export interface ConfigDocument extends Pick<ParsedConfigDocument, 'org' | 'ignored'> {
  /** Whether the document has a section of the org, or a field of one. */
  isSet(...path: readonly string[]): boolean;
  /** Whether a secret, by its path in the org, was left out and stays as it is stored. */
  keepsSecret(...path: OrgConfigPath): boolean;
  /** Secrets that were left out: their paths in the org, as JSON, with the variable that each names. */
  readonly keptSecrets: ReadonlyMap<string, string>;
}

/** The same as a thread sends it. */
export interface ParsedConfigDocument {
  readonly org: OrgConfig;
  /** Paths in the org that the document sets, two steps deep, as JSON. */
  readonly set: ReadonlySet<string>;
  /** Secrets that were left out and stay as they are stored: their paths in the org, as JSON, with their variables. */
  readonly kept: ReadonlyMap<string, string>;
  /** What is not applied, and why. */
  readonly ignored: readonly string[];
}

/** What the document of one org need not say: whether mail is sent is for the installation. */
const INSTALLATION_OVERRIDES: Environment['overrides'] = [
  { variable: 'smtp.url', path: ['smtp', 'url'], value: 'smtp://installation.invalid' },
  { variable: 'smtp.from', path: ['smtp', 'from'], value: 'floe@installation.invalid' },
];

/** A document as it was sent. */
export interface ConfigDocumentInput {
  readonly yaml?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Reads and checks a document as the file is read, but for `${NAME}`: that is never looked up in the environment of
 * the server, only among the values that came with the request.
 *
 * @throws Fault `invalid_request` with the messages of `floe config check`
 */
export function parseConfigDocument({
  given,
  orgId,
}: {
  readonly given: ConfigDocumentInput;
  readonly orgId: string;
}): ParsedConfigDocument {
  const text = documentText(given);
  const { tree } = readYaml(text);
  const { kept, standIns } = findKeptSecrets(tree, given.variables);
  const env: Environment = {
    configPath: undefined,
    dataDir: '.',
    secretKey: undefined,
    encryptionKeys: [],
    logLevel: 'info',
    overrides: INSTALLATION_OVERRIDES,
    unknown: [],
    variable: (name) => given.variables[name] ?? standIns.get(name),
  };
  const loaded = loadDocument(text, env, kept);
  const { orgs } = loaded.config;
  const own = orgs.findIndex(({ id }) => id === orgId);
  const at = own === -1 && orgs.length === 1 ? 0 : own;
  const org = orgs[at];
  if (!org)
    throw new Fault('invalid_request', `orgs: must contain an entry "${orgId}" or exactly one entry`, {
      param: 'orgs',
    });
  const others = isObject(tree) ? Object.keys(tree).filter((section) => section !== 'orgs') : [];
  return {
    org,
    set: findSetPaths(tree, at),
    kept: new Map(
      kept
        .filter(({ path: [, index] }) => index === at)
        .map(({ path: [, , ...path], name }) => [JSON.stringify(path), name]),
    ),
    ignored: others.map(
      (section) => `${section}: applies to the whole installation and can only be set in floe.yaml`,
    ),
  };
}

function documentText({ yaml, config }: ConfigDocumentInput): string {
  if ((yaml === undefined) === (config === undefined))
    throw new Fault('invalid_request', 'Send either yaml or config.', { param: 'yaml' });
  return yaml ?? JSON.stringify(config, null, 1);
}

/** The sections of an org that a document has, and the fields of those that are maps. */
function findSetPaths(tree: Json, at: number): ReadonlySet<string> {
  const orgs = isObject(tree) ? tree['orgs'] : null;
  const org: Json = (Array.isArray(orgs) ? orgs[at] : null) ?? null;
  const paths = new Set<string>();
  for (const [section, value] of Object.entries(isObject(org) ? org : {})) {
    paths.add(JSON.stringify([section]));
    for (const field of Object.keys(isObject(value) ? value : {}))
      paths.add(JSON.stringify([section, field]));
  }
  return paths;
}

function loadDocument(text: string, env: Environment, kept: readonly KeptPath[]) {
  try {
    return loadConfig({ text, env, validateSemantics: findConfigIssues });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first] = error.problems;
    const where = first?.where ?? '';
    throw new Fault(
      'invalid_request',
      [
        ...error.problems.map((problem) => formatProblem(null, problem)),
        // Whoever sets the missing variables sees at once which secrets they may have to set, too.
        ...(error.problems.some(({ isUnset }) => isUnset)
          ? kept.slice(0, MAX_KEPT_LINES).map(formatKept)
          : []),
      ].join('\n'),
      where === '' ? {} : { param: where },
    );
  }
}

const VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/;
/** Of a proxy only the user and password are a secret, as an export writes them: `http://${NAME}@proxy.example:3128`. */
const PROXY_VARIABLE = /^https?:\/\/\$\{([A-Za-z_]\w*)\}@[^$]+$/;

function isProviderProxy([, , section, , field]: OrgConfigPath): boolean {
  return section === 'providers' && field === 'outbound';
}

/** More are not shown, as of problems. */
const MAX_KEPT_LINES = 200;

function formatKept({ path, name }: KeptPath): string {
  return `${formatConfigPath(path)}: the environment variable ${name} is not set; set it unless Floe has already stored this secret`;
}

interface KeptPath {
  readonly path: OrgConfigPath;
  /** Of the variable. */
  readonly name: string;
}

/** Secrets that are only named: `${NAME}` and nothing else, with a name that came without a value. */
function findKeptSecrets(tree: Json, variables: Readonly<Record<string, string>>) {
  const kept: KeptPath[] = [];
  const standIns = new Map<string, string>();
  const visit = (value: Json | undefined, path: OrgConfigPath): void => {
    if (typeof value === 'string') {
      const isProxy = isProviderProxy(path);
      const name = (isProxy ? PROXY_VARIABLE : VARIABLE).exec(value)?.[1];
      const standIn = dummySecretFor(path);
      if (name === undefined || variables[name] !== undefined || standIn === null) return;
      kept.push({ path, name });
      standIns.set(name, standIn);
    } else if (Array.isArray(value))
      for (const [index, entry] of value.entries()) visit(entry, [...path, index]);
    else if (isObject(value)) for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
  };
  visit(tree, []);
  return { kept, standIns };
}

/** What passes the checks in the place of a secret that stays as it is stored; null where a value is none. */
function dummySecretFor(path: OrgConfigPath): string | null {
  const [orgs, , ...place] = path;
  if (orgs !== 'orgs' || !isSecretPath(place)) return null;
  const [section, , field] = place;
  if (section === 'keys') return `eis_${'0'.repeat(40)}${path.join('')}`.replaceAll(/\W/g, '');
  return section === 'channels' && field === 'url' ? 'https://stored.invalid/' : 'stored';
}
