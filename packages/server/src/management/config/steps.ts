import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { fileRuleId } from '../../guardrails/rules.ts';
import { storedBudget, storedLimit } from '../../guardrails/stored-rules.ts';
import { SECTIONS, type Section } from '../../platform/config/sections.ts';
import { storedRelayRule } from '../../relay/stored-rules.ts';
import { allChannels } from '../../store/channels.ts';
import { type EntryKind, entriesOfOrg } from '../../store/config-entries.ts';
import { type GuardrailKind, rulesOfOrg } from '../../store/guardrail-rules.ts';
import { allBoards } from '../../store/monitoring/boards.ts';
import { monitorsOfOrg } from '../../store/monitoring/definitions.ts';
import { allKeys } from '../../store/platform-keys.ts';
import type { Reader } from '../../store/ports.ts';
import { teamsOfOrg } from '../../store/teams.ts';
import { asJson } from '../input.ts';
import type { ConfigHost } from './config-host.ts';
import type { ConfigDocument } from './document.ts';
import type { ResourceName } from './file-diff.ts';

/** One resource of a document, and the verb that brings it about. */
export interface Step {
  readonly kind: string;
  readonly id: string;
  readonly verb: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
}

/** Kinds in the order in which later ones may name earlier ones. */
export const KINDS = [
  'teams',
  'keys',
  'channels',
  'monitors',
  'boards',
  'providers',
  'routes',
  'policies',
  'limits',
  'budgets',
  'relay_rules',
] as const;
export type Kind = (typeof KINDS)[number];

/** Everything that a document says, as verbs. */
export async function stepsOf(document: ConfigDocument, reader: Reader, orgId: string): Promise<Step[]> {
  const steps = orgSteps(document, orgId);
  for (const kind of KINDS) {
    if (document.sets(...sectionOf(kind))) steps.push(...(await STEPS[kind](document, reader, orgId)));
    if (kind === 'providers') steps.push(...settingSteps(document));
  }
  mustBeBounded(steps);
  return steps;
}

/** Resources that one document may have: all of them are applied in one transaction. */
export const MAX_RESOURCES = 5_000;
/** Of a list whose order counts, as writing one of it reads the others. */
export const MAX_ORDERED = 1_000;
const ORDERED: ReadonlySet<string> = new Set(['routes', 'policies']);

/** @throws Fault `invalid_request` */
function mustBeBounded(steps: readonly Step[]): void {
  for (const kind of ORDERED) {
    const count = steps.filter((step) => step.kind === kind).length;
    if (count > MAX_ORDERED)
      throw new Fault(
        'invalid_request',
        `${kind}: has ${count} entries, at most ${MAX_ORDERED} are allowed`,
        {
          param: kind,
        },
      );
  }
  if (steps.length > MAX_RESOURCES)
    throw new Fault(
      'invalid_request',
      `The document has ${steps.length} resources, at most ${MAX_RESOURCES} are allowed. Apply it in parts, without prune.`,
    );
}

/** Where a document has the things of a kind. */
function sectionOf(kind: Kind): readonly string[] {
  return kind === 'relay_rules' ? ['relay', 'rules'] : [kind];
}

/**
 * What stands in the sections of a document and is not named there: to be removed, what names others first. Platform keys
 * stay: whoever uses one would be shut out, the one who asks among them.
 */
export async function leftOver(
  document: ConfigDocument,
  steps: readonly Step[],
  reader: Reader,
  orgId: string,
): Promise<Step[]> {
  const found: Step[] = [];
  for (const kind of KINDS.toReversed()) {
    if (!document.sets(...sectionOf(kind)) || kind === 'keys') continue;
    const named = new Set(steps.filter((step) => step.kind === kind).map(({ id }) => id));
    for (const { id, source } of await storedNames(kind, reader, orgId))
      if (source !== 'file' && !named.has(id))
        found.push({ kind, id, verb: `${kind}.delete`, params: { id }, body: undefined });
  }
  return found;
}

/** What stands in floe.yaml, in sections of a document that do not name it. */
export async function leftOverInFile(
  document: ConfigDocument,
  steps: readonly Step[],
  { reader, orgId }: { readonly reader: Reader; readonly orgId: string },
  host: Pick<ConfigHost, 'rules'>,
): Promise<ResourceName[]> {
  const rules = host.rules.fileRules(orgId);
  const found: ResourceName[] = [];
  for (const kind of KINDS) {
    if (!document.sets(...sectionOf(kind))) continue;
    const named = new Set(steps.filter((step) => step.kind === kind).map(({ id }) => id));
    const stored = (await storedNames(kind, reader, orgId)).filter(({ source }) => source === 'file');
    const inFile = isRuleKind(kind) ? rules[kind].map(({ config }) => fileRuleId(config)) : [];
    for (const id of [...stored.map((row) => row.id), ...inFile])
      if (!named.has(id)) found.push({ kind, id });
  }
  return found;
}

function isRuleKind(kind: Kind): kind is GuardrailKind {
  return kind === 'limits' || kind === 'budgets' || kind === 'relay_rules';
}

interface StoredName {
  /** As documents name it. */
  readonly id: string;
  readonly source: string;
}

/** What is stored of a kind, whoever made it. Of rules only what the API made is. */
async function storedNames(kind: Kind, reader: Reader, orgId: string): Promise<readonly StoredName[]> {
  switch (kind) {
    case 'teams':
      return teamsOfOrg(reader, orgId);
    case 'keys':
      return (await allKeys(reader))
        .filter((row) => row.org_id === orgId && row.revoked_at === null)
        .map(({ name, source }) => ({ id: name, source }));
    case 'channels':
      return (await allChannels(reader))
        .filter(({ org_id }) => org_id === orgId)
        .map(({ name, source }) => ({ id: name, source }));
    case 'monitors':
      return (await monitorsOfOrg(reader, orgId)).filter(({ disabled_at }) => disabled_at === null);
    case 'boards':
      return (await allBoards(reader))
        .filter(({ org_id }) => org_id === orgId)
        .map(({ slug, source }) => ({ id: slug, source }));
    case 'limits':
    case 'budgets':
    case 'relay_rules':
      return (await rulesOfOrg(reader, kind, orgId)).map(({ id }) => ({ id, source: 'console' }));
    default:
      return entriesOfOrg(reader, orgId, kind satisfies EntryKind);
  }
}

type Maker = (document: ConfigDocument, reader: Reader, orgId: string) => Step[] | Promise<Step[]>;

const STEPS: Readonly<Record<Kind, Maker>> = {
  teams: ({ org }) =>
    org.teams.map((team) => put('teams', team.id, { name: team.name, cost_center: team.cost_center })),
  keys: ({ org, keeps }) =>
    org.keys.map((key, at) => ({
      kind: 'keys',
      id: key.name,
      verb: 'keys.apply',
      params: {},
      body: plain(withoutKept(key, (field) => keeps('keys', at, field))),
    })),
  channels: ({ org, keeps }) =>
    org.channels.map((channel, index) =>
      put(
        'channels',
        channel.name,
        withoutKept(channel, (field) => keeps('channels', index, field)),
      ),
    ),
  monitors: ({ org }) =>
    org.monitors.map(({ paused, ...monitor }) =>
      // A date alone means a pause: its default beside it would deny that.
      put('monitors', monitor.id, { ...monitor, ...(paused && { paused }) }),
    ),
  boards: ({ org }) => org.boards.map((board) => put('boards', board.slug, board)),
  providers: ({ org, keeps }) =>
    org.providers.map(({ headers, credentials, identity, ...provider }, at) => {
      const kept = (...path: (string | number)[]) => keeps('providers', at, ...path);
      const named = Object.keys(headers).some((name) => kept('headers', name)) ? {} : { headers };
      return put('providers', provider.id, {
        ...provider,
        ...named,
        ...(identity && { identity: withoutKept(identity, (field) => kept('identity', field)) }),
        credentials: credentials.map(({ name, weight, api_key }, n) => ({
          name,
          weight,
          ...(!kept('api_key') && !kept('credentials', n, 'api_key') && { api_key }),
        })),
      });
    }),
  routes: ({ org }) =>
    org.routes.map((route, position) => put('routes', route.model, { ...route, position })),
  policies: ({ org }) =>
    org.policies.map((policy, position) => put('policies', policy.name, { ...policy, position })),
  limits: ({ org }, reader, orgId) => ruleSteps('limits', org.limits, reader, orgId),
  budgets: ({ org }, reader, orgId) => ruleSteps('budgets', org.budgets, reader, orgId),
  relay_rules: async ({ org }, reader, orgId) => {
    const stored = await rulesOfOrg(reader, 'relay_rules', orgId);
    const ids = new Map(stored.toReversed().map((row) => [storedRelayRule(row).name, row.id]));
    return org.relay.rules.map((rule) => put('relay_rules', ids.get(rule.name) ?? rule.name, rule));
  },
};

function orgSteps({ org, sets }: ConfigDocument, orgId: string): Step[] {
  const body = {
    ...(sets('name') && { name: org.name }),
    ...(sets('timezone') && { timezone: org.timezone }),
  };
  if (Object.keys(body).length === 0) return [];
  return [{ kind: 'org', id: orgId, verb: 'org.update', params: {}, body }];
}

/** A rule without a name is the stored one that says the same. */
async function ruleSteps(
  kind: 'limits' | 'budgets',
  rules: readonly (LimitConfig | BudgetConfig)[],
  reader: Reader,
  orgId: string,
): Promise<Step[]> {
  const stored = (await rulesOfOrg(reader, kind, orgId)).map(kind === 'limits' ? storedLimit : storedBudget);
  const ids = new Map(stored.toReversed().map(({ id, config }) => [meaningOf(config), id]));
  return rules.map((rule) => put(kind, ids.get(meaningOf(rule)) ?? fileRuleId(rule), rule));
}

/** The same for rules that are the same: their name, or all that they say. */
function meaningOf(rule: LimitConfig | BudgetConfig): string {
  if (rule.name !== undefined) return JSON.stringify({ name: rule.name });
  return JSON.stringify(rule, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

function settingSteps({ org, sets }: ConfigDocument): Step[] {
  const { rules: _, ...relay } = org.relay;
  const values: Readonly<Record<string, unknown>> = { ...org, relay };
  const isGiven = (section: Section) =>
    section === 'relay' ? Object.keys(relay).some((field) => sets('relay', field)) : sets(section);
  const given = SECTIONS.filter((section) => section !== 'cache' && isGiven(section));
  // One at a time: what of them stands in floe.yaml is left alone, and the others are not.
  const steps: Step[] = given.map((section) => {
    const body = plain({ [section]: values[section] });
    return { kind: 'settings', id: section, verb: 'settings.update', params: {}, body };
  });
  if (sets('cache'))
    steps.push({ kind: 'cache', id: 'cache', verb: 'cache.update', params: {}, body: plain(org.cache) });
  return steps;
}

function put(kind: Kind, id: string, body: object): Step {
  return { kind, id, verb: `${kind}.replace`, params: { id }, body: plain(body) };
}

function withoutKept(fields: object, isKept: (field: string) => boolean): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isKept(name)));
}

/** As a client would send it: without what is undefined. */
function plain(value: object): JsonObject {
  const json = asJson(JSON.parse(JSON.stringify(value)));
  return isObject(json) ? json : {};
}
