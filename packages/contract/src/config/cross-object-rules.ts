import { isJsonObject, type Json, type JsonArray } from '../json.ts';
import { findNearestWord } from './nearest-word.ts';

/** The path of a value in floe.yaml: keys and list indexes. */
export type ConfigPath = readonly (string | number)[];

/** A problem in a configuration. `message` completes the sentence "<path>: …" and contains no value. */
export interface ConfigIssue {
  readonly path: ConfigPath;
  readonly message: string;
}

/**
 * Returns the violations of rules about several objects in floe.yaml: ids and names must be unique, and
 * references must exist. Checks the raw values after variable substitution, and ignores values of the wrong
 * type. It therefore also works if `FloeConfigSchema` rejects the configuration, so that all problems can be
 * reported together.
 */
export function findCrossObjectIssues(config: Json): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const orgs = getList(config, 'orgs');
  checkUnique(orgs, 'id', ['orgs'], issues);
  checkUnique(getList(getMember(config, 'auth'), 'oidc'), 'name', ['auth', 'oidc'], issues);
  checkPorts(getMember(config, 'server'), issues);
  checkMail(config, issues);
  checkGroups(config, issues);
  for (const [index, org] of orgs.entries()) checkOrg(org, ['orgs', index], issues);
  checkUniqueAcrossOrgs(orgs, KEY_VALUE, issues);
  checkUniqueAcrossOrgs(orgs, IMPORTED_HASH, issues);
  checkUniqueAcrossOrgs(orgs, BOARD_SLUG, issues);
  return issues;
}

const NAME_FIELD_BY_SECTION = {
  teams: 'id',
  keys: 'name',
  providers: 'id',
  routes: 'model',
  limits: 'name',
  budgets: 'name',
  policies: 'name',
  monitors: 'id',
  channels: 'name',
} as const;

function checkOrg(org: Json, path: ConfigPath, issues: ConfigIssue[]): void {
  for (const [section, field] of Object.entries(NAME_FIELD_BY_SECTION))
    checkUnique(getList(org, section), field, [...path, section], issues);
  checkUnique(getList(getMember(org, 'relay'), 'rules'), 'name', [...path, 'relay', 'rules'], issues);
  for (const [index, provider] of getList(org, 'providers').entries())
    checkUnique(
      getList(provider, 'credentials'),
      'name',
      [...path, 'providers', index, 'credentials'],
      issues,
    );

  const known = (section: keyof typeof NAME_FIELD_BY_SECTION) =>
    new Set(getTexts(getList(org, section), NAME_FIELD_BY_SECTION[section]));
  const mustExist = (what: string, names: ReadonlySet<string>, name: Json | undefined, at: ConfigPath) => {
    if (typeof name === 'string' && name !== '' && !names.has(name))
      issues.push({ path: at, message: describeUnknownName(what, name, names, issues.length) });
  };
  const teams = known('teams');
  const keys = known('keys');
  for (const section of ['keys', 'limits', 'budgets'] as const)
    for (const [index, entry] of getList(org, section).entries()) {
      mustExist('team', teams, getMember(entry, 'team'), [...path, section, index, 'team']);
      if (section !== 'keys')
        mustExist('key', keys, getMember(entry, 'key'), [...path, section, index, 'key']);
    }
  const providers = known('providers');
  for (const target of findProviderReferences(org, path))
    mustExist('provider', providers, target.provider, target.path);
  const channels = known('channels');
  const monitors = known('monitors');
  for (const [index, monitor] of getList(org, 'monitors').entries())
    for (const [n, channel] of getList(monitor, 'channels').entries())
      mustExist('channel', channels, channel, [...path, 'monitors', index, 'channels', n]);
  for (const [index, board] of getList(org, 'boards').entries())
    for (const [n, group] of getList(board, 'groups').entries())
      for (const [m, monitor] of getList(group, 'monitors').entries())
        mustExist('monitor', monitors, monitor, [...path, 'boards', index, 'groups', n, 'monitors', m]);
}

/** Yields every path of an org that references a provider, in the short or long form. */
function* findProviderReferences(
  org: Json,
  path: ConfigPath,
): Generator<{ provider: Json | undefined; path: ConfigPath }> {
  for (const [index, route] of getList(org, 'routes').entries())
    for (const [n, target] of getList(route, 'targets').entries()) {
      const model = isJsonObject(target) ? target['model'] : target;
      const at = [...path, 'routes', index, 'targets', n, ...(isJsonObject(target) ? ['model'] : [])];
      if (typeof model === 'string' && model.includes('/'))
        yield { provider: model.slice(0, model.indexOf('/')), path: at };
    }
  for (const surface of ['a', 'b']) {
    const chosen = getMember(getMember(org, 'passthrough'), surface);
    const at = [...path, 'passthrough', surface];
    if (!isList(chosen)) yield { provider: chosen, path: at };
    else
      for (const [n, target] of chosen.entries())
        yield isJsonObject(target)
          ? { provider: target['provider'], path: [...at, n, 'provider'] }
          : { provider: target, path: [...at, n] };
  }
}

/** Two addresses may use the same port. The listener reports a conflict with a wildcard address. */
function checkPorts(server: Json | undefined, issues: ConfigIssue[]): void {
  const host = getMember(server, 'host') ?? '127.0.0.1';
  const placeOf = (port: Json | undefined, at: Json | undefined) => `${at ?? host} ${port}`;
  const taken = new Map([[placeOf(getMember(server, 'port') ?? 3563, host), 'server.port']]);
  for (const [index, listener] of getList(server, 'listeners').entries()) {
    const port = getMember(listener, 'port');
    if (port === undefined || port === 0) continue;
    const place = placeOf(port, getMember(listener, 'host'));
    const owner = taken.get(place);
    if (owner !== undefined)
      issues.push({
        path: ['server', 'listeners', index, 'port'],
        message: `must be unique on its address, but ${owner} uses the same address and port`,
      });
    taken.set(place, `server.listeners[${index}]`);
  }
}

function checkMail(config: Json, issues: ConfigIssue[]): void {
  const url = getMember(getMember(config, 'smtp'), 'url');
  if (url !== undefined && url !== '') return;
  const message =
    'email channels require a mail server; set smtp.url. Example: smtps://user:password@mail.example.com:465';
  for (const [n, org] of getList(config, 'orgs').entries())
    for (const [index, channel] of getList(org, 'channels').entries())
      if (getMember(channel, 'kind') === 'email')
        issues.push({
          path: url === undefined ? ['orgs', n, 'channels', index, 'kind'] : ['smtp', 'url'],
          message,
        });
}

/** Groups of an OIDC issuer map to one org: the named one, or the only one. */
function checkGroups(config: Json, issues: ConfigIssue[]): void {
  const orgs = getList(config, 'orgs');
  const ids = new Set(getTexts(orgs, 'id'));
  const byId = new Map(orgs.toReversed().map((org) => [getMember(org, 'id'), org]));
  const teamsOf = new Map<Json | undefined, ReadonlySet<string>>();
  for (const [n, issuer] of getList(getMember(config, 'auth'), 'oidc').entries()) {
    if (getMember(issuer, 'unmapped') === 'viewer' && orgs.length > 1)
      issues.push({
        path: ['auth', 'oidc', n, 'unmapped'],
        message:
          'must not be viewer if the file has several organizations, because Floe cannot choose an organization for users without a mapped group; remove this field, and use the field "map" to map groups to organizations',
      });
    for (const [m, entry] of getList(issuer, 'map').entries()) {
      const path = ['auth', 'oidc', n, 'map', m];
      const id = getMember(entry, 'org');
      if (id === undefined && orgs.length > 1)
        issues.push({
          path,
          message: 'must have the field "org", because the file has several organizations',
        });
      if (typeof id === 'string' && !ids.has(id))
        issues.push({
          path: [...path, 'org'],
          message: describeUnknownName('organization', id, ids, issues.length),
        });
      const org = id === undefined ? orgs[0] : byId.get(id);
      const team = getMember(entry, 'team');
      const teams = teamsOf.get(org) ?? new Set(getTexts(getList(org, 'teams'), 'id'));
      teamsOf.set(org, teams);
      if (org !== undefined && typeof team === 'string' && !teams.has(team))
        issues.push({
          path: [...path, 'team'],
          message: describeUnknownName('team', team, teams, issues.length),
        });
    }
  }
}

function checkUnique(entries: JsonArray, field: string, path: ConfigPath, issues: ConfigIssue[]): void {
  const seen = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const name = getMember(entry, field);
    if (typeof name !== 'string') continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else
      issues.push({
        path: [...path, index, field],
        message: `must be unique, but is already the ${field} of ${path.at(-1)}[${first}]`,
      });
  }
}

interface UniqueField {
  readonly section: string;
  readonly field: string;
  /** The start of the error message. The path of the other field with the same value follows. */
  readonly message: string;
  /** Returns a canonical form that is equal for values that count as the same. */
  readonly canonical: (value: string) => string;
}

const KEY_VALUE: UniqueField = {
  section: 'keys',
  field: 'key',
  message: 'must be unique, but has the same value as',
  canonical: (key) => key.replace(/^sk-/, ''),
};
const IMPORTED_HASH: UniqueField = { ...KEY_VALUE, field: 'imported_hash', canonical: (hash) => hash };
const BOARD_SLUG: UniqueField = {
  section: 'boards',
  field: 'slug',
  message: 'must be unique, but is already the slug of',
  canonical: (slug) => slug,
};

/** Checks uniqueness in the whole installation. The message contains the path and never the value. */
function checkUniqueAcrossOrgs(
  orgs: JsonArray,
  { section, field, message, canonical }: UniqueField,
  issues: ConfigIssue[],
): void {
  const seen = new Map<string, string>();
  for (const [n, org] of orgs.entries())
    for (const [index, entry] of getList(org, section).entries()) {
      const value = getMember(entry, field);
      if (typeof value !== 'string') continue;
      const first = seen.get(canonical(value));
      if (first === undefined) seen.set(canonical(value), `orgs[${n}].${section}[${index}]`);
      else issues.push({ path: ['orgs', n, section, index, field], message: `${message} ${first}` });
    }
}

/** Limits per configuration: number of suggestions, and number of names that each is compared with. */
const MAX_SUGGESTIONS = 20;
const MAX_CANDIDATES = 2_000;

/**
 * Returns the message for a reference to a name that does not exist. Suggests a similar name. The message does
 * not repeat the unknown name, because people sometimes paste a secret key where the name of a key is expected.
 * @param earlier The number of problems that were already found. After 20 problems, no names are suggested.
 */
export function describeUnknownName(
  what: string,
  name: string,
  known: ReadonlySet<string>,
  earlier: number,
): string {
  // Without the limit, the work grows with the product of unknown and known names.
  const meant =
    earlier < MAX_SUGGESTIONS ? findNearestWord(name, [...known].slice(0, MAX_CANDIDATES)) : undefined;
  return `this ${what} does not exist${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}

function getMember(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

function isList(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

function getList(value: Json | undefined, key: string): JsonArray {
  const found = getMember(value, key);
  return isList(found) ? found : [];
}

function getTexts(entries: JsonArray, field: string): string[] {
  return entries.map((entry) => getMember(entry, field)).filter((name) => typeof name === 'string');
}
