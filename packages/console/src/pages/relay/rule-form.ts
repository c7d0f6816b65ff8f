import { isJsonObject } from '@floe/contract/json';
import { ApiError } from '../../data/api-error.ts';
import type { AgentEventKind } from './decision-display.ts';
import type { RelayRuleWithMatchCount } from './relay-data.ts';
import { ruleText } from './rule-text.ts';

/** Converts rules between the API and the form. Pure. */

type Json = Readonly<Record<string, unknown>>;

/**
 * The keys of `match` that have a form field. Patterns can contain commas, so they are entered one per line.
 */
const MATCH_FIELDS = [
  'command',
  'subcommand',
  'any_flag',
  'args',
  'does',
  'server_url',
  'server_command',
  'tool',
  'path',
  'text',
] as const;
/** A field of a rule’s `match` setting that has its own input in the form. */
export type MatchField = (typeof MATCH_FIELDS)[number];

/** The form values of a rule. */
export interface RuleFormValues {
  readonly name: string;
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly mode: 'observe' | 'warn' | 'enforce';
  readonly on: readonly AgentEventKind[];
  /** The patterns of each match field, one per line. */
  readonly match: Readonly<Record<MatchField, string>>;
  readonly when: string;
  readonly user: string;
  readonly agent: string;
  readonly onError: 'open' | 'closed';
  /** Settings without a form field as JSON: detect, who, schedule, except and the other match keys. */
  readonly rest: string;
}

const NO_MATCH: RuleFormValues['match'] = {
  command: '',
  subcommand: '',
  any_flag: '',
  args: '',
  does: '',
  server_url: '',
  server_command: '',
  tool: '',
  path: '',
  text: '',
};

/** The initial form values of a new rule. The rule is in observe mode. */
export const NEW_RULE_FORM: RuleFormValues = {
  name: '',
  decision: 'deny',
  mode: 'observe',
  on: ['shell'],
  match: NO_MATCH,
  when: '',
  user: '',
  agent: '',
  onError: 'open',
  rest: '',
};

const KNOWN = new Set(['name', 'decision', 'mode', 'on', 'match', 'when', 'message', 'on_error']);

/** Converts a rule to form values. */
export function toRuleFormValues({ rule }: Pick<RelayRuleWithMatchCount, 'rule'>): RuleFormValues {
  const match = objectOf(rule['match']);
  const fields = MATCH_FIELDS.map((name) => [name, lines(match[name])] as const);
  const { user, agent } = messageOf(rule['message']);
  return {
    name: rule.name,
    decision: oneOf(['deny', 'ask', 'allow'], rule['decision']),
    mode: oneOf(['enforce', 'warn', 'observe'], rule['mode']),
    on: EVENT_KINDS.filter((kind) => [rule['on']].flat().includes(kind)),
    match: { ...NO_MATCH, ...Object.fromEntries(fields) },
    when: textOf(rule['when']),
    user,
    agent,
    onError: oneOf(['open', 'closed'], rule['on_error']),
    rest: restText(rule, match),
  };
}

const EVENT_KINDS: readonly AgentEventKind[] = ['shell', 'tool', 'prompt', 'file_read', 'file_write'];

/**
 * Converts the form to the request body. Null removes a setting.
 * @param before the rule before the change. Patterns that were not edited stay exactly as they are in this rule.
 * @throws ApiError that names `rest` if its text is not a JSON object
 */
export function toRuleBody(form: RuleFormValues, before?: Pick<RelayRuleWithMatchCount, 'rule'>): Json {
  const rest = readRest(form.rest);
  const stored = objectOf(before?.rule['match']);
  const typed = MATCH_FIELDS.flatMap((name) => {
    if (Object.hasOwn(stored, name) && lines(stored[name]) === form.match[name])
      return [[name, stored[name]] as const];
    const kept = listOf(stored[name]);
    const patterns = form.match[name]
      .split('\n')
      .map((line) => (kept.includes(line) ? line : line.trim()))
      .filter((line) => line !== '');
    return patterns.length === 0 ? [] : [[name, patterns] as const];
  });
  const match = { ...objectOf(rest['match']), ...Object.fromEntries(typed) };
  const user = form.user.trim();
  const agent = form.agent.trim();
  const message = { user: user || agent, ...(agent === '' || agent === user ? {} : { agent }) };
  return {
    detect: null,
    who: null,
    schedule: null,
    except: null,
    ...rest,
    name: form.name.trim(),
    decision: form.decision,
    mode: form.mode,
    on: form.on,
    match: Object.keys(match).length === 0 ? null : match,
    when: form.when.trim() || null,
    message: message.user === '' ? null : message,
    on_error: form.onError,
  };
}

/**
 * Returns all rules for a simulation, with the draft instead of the saved version of the rule with the ID `id`.
 * Returns null if the draft is not valid.
 */
export function replaceRuleWithDraft(
  all: readonly RelayRuleWithMatchCount[],
  id: string | null,
  form: RuleFormValues,
): object[] | null {
  try {
    const body = toRuleBody(
      form,
      all.find((rule) => rule.id === id),
    );
    const draft = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const others = all.filter((rule) => rule.id !== id).map(({ rule }) => rule);
    return [...others, draft];
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * Summarizes what a rule matches, as in `git push -f|--force`. If all of several flags are required, they are
 * separated by spaces, as in `rm -r -f`.
 */
export function summarizeRule({ rule }: Pick<RelayRuleWithMatchCount, 'rule'>): string {
  const match = objectOf(rule['match']);
  const patterns = Object.entries(match).flatMap(([field, value]) => {
    const texts = [value].flat().filter((one) => typeof one === 'string');
    return texts.length === 0 ? [] : [texts.join(field === 'all_flags' ? ' ' : '|')];
  });
  const detect = objectOf(rule['detect']);
  const found = [
    ...(detect['secrets'] === true ? ['secrets'] : []),
    ...(Array.isArray(detect['pii']) ? detect['pii'].map(String) : []),
  ];
  const rest = [found.length > 0 ? ruleText.page.contains(found) : '', textOf(rule['when'])];
  return [...patterns, ...rest].filter((part) => part !== '').join(' ');
}

/** Returns the message that is shown after a rule was saved. */
export function formatRuleSavedMessage(saved: Pick<RelayRuleWithMatchCount, 'rule' | 'mode'>): string {
  const { name } = saved.rule;
  if (isAnyRuleLimitedToObserve([saved]))
    return `${ruleText.saved.observeOnly(name)} ${ruleText.observeOnly}`;
  return saved.mode === 'observe' ? ruleText.saved.observe(name) : ruleText.saved.enforced(name);
}

/**
 * Returns whether the setting `relay.mode` limits at least one rule with the mode `warn` or `enforce` to
 * `observe`.
 */
export function isAnyRuleLimitedToObserve(
  rules: readonly Pick<RelayRuleWithMatchCount, 'rule' | 'mode'>[],
): boolean {
  return rules.some(({ rule, mode }) => mode === 'observe' && rule['mode'] !== 'observe');
}

function restText(rule: Json, match: Json): string {
  const others = Object.fromEntries(
    Object.entries(rule).filter(([name, value]) => !KNOWN.has(name) && !isEmptyList(value)),
  );
  const shown: readonly string[] = MATCH_FIELDS;
  const left = Object.entries(match).filter(([name]) => !shown.includes(name));
  const rest = left.length === 0 ? others : { ...others, match: Object.fromEntries(left) };
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2);
}

function readRest(text: string): Json {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below with the same message as other values that are not objects.
  }
  throw new ApiError({
    status: 0,
    code: 'invalid_json',
    message: ruleText.form.restInvalid,
    param: 'rest',
  });
}

function messageOf(message: unknown): { readonly user: string; readonly agent: string } {
  if (typeof message === 'string') return { user: message, agent: '' };
  const { user, agent } = objectOf(message);
  return { user: textOf(user), agent: textOf(agent) };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function lines(value: unknown): string {
  return listOf(value).join('\n');
}

function listOf(value: unknown): readonly string[] {
  return [value ?? []].flat().map(String);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): Json {
  return isJsonObject(value) ? value : {};
}

/** Returns the value if it is one of the choices, otherwise the first choice. */
function oneOf<Choice extends string>(choices: readonly [Choice, ...Choice[]], value: unknown): Choice {
  return choices.find((choice) => choice === value) ?? choices[0];
}
