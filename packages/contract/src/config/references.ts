import { isObject, type Json, type JsonArray } from '../json.ts';
import { nearest } from './nearest.ts';

export type ConfigPath = readonly (string | number)[];

/** A mistake in a configuration; `message` completes the sentence "<path>: …" and repeats no value. */
export interface ConfigIssue {
  readonly path: ConfigPath;
  readonly message: string;
}

/**
 * Rules between the objects of floe.yaml: ids and names are unique, what is named exists. Reads the
 * values as written (after substitution) and passes over what has the wrong shape, so that it can
 * report beside `FloeConfigSchema` and not only after it.
 */
export function checkReferences(config: Json): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const orgs = list(config, 'orgs');
  unique(orgs, 'id', ['orgs'], issues);
  unique(list(get(config, 'auth'), 'oidc'), 'name', ['auth', 'oidc'], issues);
  checkPorts(get(config, 'server'), issues);
  checkMail(config, issues);
  checkGroups(config, issues);
  for (const [index, org] of orgs.entries()) checkOrg(org, ['orgs', index], issues);
  uniqueAcrossOrgs(orgs, KEY_VALUE, issues);
  uniqueAcrossOrgs(orgs, BOARD_SLUG, issues);
  return issues;
}

const NAMED_BY = {
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
  for (const [section, field] of Object.entries(NAMED_BY))
    unique(list(org, section), field, [...path, section], issues);
  unique(list(get(org, 'relay'), 'rules'), 'name', [...path, 'relay', 'rules'], issues);
  for (const [index, provider] of list(org, 'providers').entries())
    unique(list(provider, 'credentials'), 'name', [...path, 'providers', index, 'credentials'], issues);

  const known = (section: keyof typeof NAMED_BY) => new Set(texts(list(org, section), NAMED_BY[section]));
  const mustExist = (what: string, names: ReadonlySet<string>, name: Json | undefined, at: ConfigPath) => {
    if (typeof name === 'string' && name !== '' && !names.has(name))
      issues.push({ path: at, message: unknownName(what, name, names, issues.length) });
  };
  const teams = known('teams');
  const keys = known('keys');
  for (const section of ['keys', 'limits', 'budgets'] as const)
    for (const [index, entry] of list(org, section).entries()) {
      mustExist('team', teams, get(entry, 'team'), [...path, section, index, 'team']);
      if (section !== 'keys') mustExist('key', keys, get(entry, 'key'), [...path, section, index, 'key']);
    }
  const providers = known('providers');
  for (const target of targetsOf(org, path)) mustExist('provider', providers, target.provider, target.path);
  const channels = known('channels');
  const monitors = known('monitors');
  for (const [index, monitor] of list(org, 'monitors').entries())
    for (const [n, channel] of list(monitor, 'channels').entries())
      mustExist('channel', channels, channel, [...path, 'monitors', index, 'channels', n]);
  for (const [index, board] of list(org, 'boards').entries())
    for (const [n, group] of list(board, 'groups').entries())
      for (const [m, monitor] of list(group, 'monitors').entries())
        mustExist('monitor', monitors, monitor, [...path, 'boards', index, 'groups', n, 'monitors', m]);
}

/** Every place of an org that names a provider, in its short or long form. */
function* targetsOf(
  org: Json,
  path: ConfigPath,
): Generator<{ provider: Json | undefined; path: ConfigPath }> {
  for (const [index, route] of list(org, 'routes').entries())
    for (const [n, target] of list(route, 'targets').entries()) {
      const model = isObject(target) ? target['model'] : target;
      const at = [...path, 'routes', index, 'targets', n, ...(isObject(target) ? ['model'] : [])];
      if (typeof model === 'string' && model.includes('/'))
        yield { provider: model.slice(0, model.indexOf('/')), path: at };
    }
  for (const surface of ['a', 'b']) {
    const chosen = get(get(org, 'passthrough'), surface);
    const at = [...path, 'passthrough', surface];
    if (!isList(chosen)) yield { provider: chosen, path: at };
    else
      for (const [n, target] of chosen.entries())
        yield isObject(target)
          ? { provider: target['provider'], path: [...at, n, 'provider'] }
          : { provider: target, path: [...at, n] };
  }
}

/** Two addresses may share a port; whether one of them stands for all addresses shows when they are listened on. */
function checkPorts(server: Json | undefined, issues: ConfigIssue[]): void {
  const host = get(server, 'host') ?? '127.0.0.1';
  const placeOf = (port: Json | undefined, at: Json | undefined) => `${at ?? host} ${port}`;
  const taken = new Map([[placeOf(get(server, 'port') ?? 3563, host), 'server.port']]);
  for (const [index, listener] of list(server, 'listeners').entries()) {
    const port = get(listener, 'port');
    if (port === undefined || port === 0) continue;
    const place = placeOf(port, get(listener, 'host'));
    const owner = taken.get(place);
    if (owner !== undefined)
      issues.push({ path: ['server', 'listeners', index, 'port'], message: `is also the port of ${owner}` });
    taken.set(place, `server.listeners[${index}]`);
  }
}

function checkMail(config: Json, issues: ConfigIssue[]): void {
  if ((get(get(config, 'smtp'), 'url') ?? '') !== '') return;
  for (const [n, org] of list(config, 'orgs').entries())
    for (const [index, channel] of list(org, 'channels').entries())
      if (get(channel, 'kind') === 'email')
        issues.push({ path: ['orgs', n, 'channels', index, 'kind'], message: 'email needs smtp.url' });
}

/** Groups of an OIDC issuer map into one org: the named one, or the only one. */
function checkGroups(config: Json, issues: ConfigIssue[]): void {
  const orgs = list(config, 'orgs');
  const ids = new Set(texts(orgs, 'id'));
  const byId = new Map(orgs.toReversed().map((org) => [get(org, 'id'), org]));
  const teamsOf = new Map<Json | undefined, ReadonlySet<string>>();
  for (const [n, issuer] of list(get(config, 'auth'), 'oidc').entries()) {
    if (get(issuer, 'unmapped') === 'viewer' && orgs.length > 1)
      issues.push({
        path: ['auth', 'oidc', n, 'unmapped'],
        message: 'cannot be viewer, because there are several orgs; map a group to each instead',
      });
    for (const [m, entry] of list(issuer, 'map').entries()) {
      const path = ['auth', 'oidc', n, 'map', m];
      const id = get(entry, 'org');
      if (id === undefined && orgs.length > 1)
        issues.push({ path, message: 'needs org, because there are several' });
      if (typeof id === 'string' && !ids.has(id))
        issues.push({ path: [...path, 'org'], message: unknownName('org', id, ids, issues.length) });
      const org = id === undefined ? orgs[0] : byId.get(id);
      const team = get(entry, 'team');
      const teams = teamsOf.get(org) ?? new Set(texts(list(org, 'teams'), 'id'));
      teamsOf.set(org, teams);
      if (org !== undefined && typeof team === 'string' && !teams.has(team))
        issues.push({ path: [...path, 'team'], message: unknownName('team', team, teams, issues.length) });
    }
  }
}

function unique(entries: JsonArray, field: string, path: ConfigPath, issues: ConfigIssue[]): void {
  const seen = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const name = get(entry, field);
    if (typeof name !== 'string') continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else
      issues.push({
        path: [...path, index, field],
        message: `is already the ${field} of ${path.at(-1)}[${first}]`,
      });
  }
}

interface UniqueField {
  readonly section: string;
  readonly field: string;
  /** In front of the place that has the same value. */
  readonly message: string;
  /** What two values have in common that count as the same. */
  readonly canonical: (value: string) => string;
}

const KEY_VALUE: UniqueField = {
  section: 'keys',
  field: 'key',
  message: 'is the same value as',
  canonical: (key) => key.replace(/^sk-/, ''),
};
const BOARD_SLUG: UniqueField = {
  section: 'boards',
  field: 'slug',
  message: 'is also the slug of',
  canonical: (slug) => slug,
};

/** Uniqueness over the whole installation; the message names the place, never the value. */
function uniqueAcrossOrgs(
  orgs: JsonArray,
  { section, field, message, canonical }: UniqueField,
  issues: ConfigIssue[],
): void {
  const seen = new Map<string, string>();
  for (const [n, org] of orgs.entries())
    for (const [index, entry] of list(org, section).entries()) {
      const value = get(entry, field);
      if (typeof value !== 'string') continue;
      const first = seen.get(canonical(value));
      if (first === undefined) seen.set(canonical(value), `orgs[${n}].${section}[${index}]`);
      else issues.push({ path: ['orgs', n, section, index, field], message: `${message} ${first}` });
    }
}

/** Suggestions that are looked for in one configuration, and names that each is looked for in. */
const MAX_SUGGESTIONS = 20;
const MAX_CANDIDATES = 2_000;

/** The name itself is not repeated: where a key's name belongs, people paste the key. */
function unknownName(what: string, name: string, known: ReadonlySet<string>, earlier: number): string {
  // Comparing every wrong name with every right one takes their product.
  const meant = earlier < MAX_SUGGESTIONS ? nearest(name, [...known].slice(0, MAX_CANDIDATES)) : undefined;
  return `there is no such ${what}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}

function get(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? value[key] : undefined;
}

function isList(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

function list(value: Json | undefined, key: string): JsonArray {
  const found = get(value, key);
  return isList(found) ? found : [];
}

function texts(entries: JsonArray, field: string): string[] {
  return entries.map((entry) => get(entry, field)).filter((name) => typeof name === 'string');
}
