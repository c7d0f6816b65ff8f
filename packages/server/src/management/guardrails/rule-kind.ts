import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { Guard } from '../../guardrails/guard.ts';
import { fileRuleId } from '../../guardrails/rules.ts';
import type { Actor } from '../../platform/actor.ts';
import { placeOf } from '../../platform/file-place.ts';
import { type GuardrailKind, type GuardrailRow, ruleById, rulesOfOrg } from '../../store/guardrail-rules.ts';
import type { Reader } from '../../store/ports.ts';
import { requireStepUp } from '../access.ts';
import { mustNotBeInFile } from '../in-file.ts';
import { validate } from '../input.ts';
import type { FileRule, FileRules, RuleHost } from './rule-host.ts';

const MADE_HERE = placeOf({ source: 'console', source_line: null });

type AnyConfig = LimitConfig | BudgetConfig;

/** A rule as it is shown, wherever it stands. */
export interface Shown<Config> {
  readonly id: string;
  readonly config: Config;
  readonly source: ReturnType<typeof placeOf>;
  /** Null for a rule of floe.yaml. */
  readonly row: GuardrailRow | null;
}

export interface ViewContext {
  readonly guard: Guard;
  readonly orgId: string;
  readonly timezone: string;
  readonly nowMs: number;
}

/** What differs between limits and budgets. */
export interface RuleKind<Config extends AnyConfig, View extends JsonObject> {
  readonly kind: GuardrailKind;
  /** In messages. */
  readonly one: string;
  readonly prefix: 'lim' | 'bud';
  readonly schema: z.ZodType<Config>;
  storedConfig(row: GuardrailRow): Config;
  fileRules(rules: FileRules): readonly FileRule<Config>[];
  nameOf(config: Config): string | undefined;
  /** Whether a change lets more money through, for which members confirm who they are; null removes the rule. */
  raises(before: Config, after: Config | null): boolean;
  /** With live state. */
  view(context: ViewContext, shown: Shown<Config>): Promise<View>;
}

/** Rules of floe.yaml first, as they stand there; then the others, newest first. */
export async function shownRules<Config extends AnyConfig, View extends JsonObject>(
  kind: RuleKind<Config, View>,
  host: RuleHost,
  reader: Reader,
  orgId: string,
): Promise<Shown<Config>[]> {
  const rows = await rulesOfOrg(reader, kind.kind, orgId);
  const declared = fileRulesOf(kind, host, orgId);
  // One with the id of a rule of the file is that rule, and waits until the file lets it go.
  const others = rows.filter((row) => !declared.some(({ id }) => id === row.id));
  return [...declared, ...others.map((row) => shownRow(kind, row))];
}

/** @throws Fault `not_found` */
export async function shownRuleById<Config extends AnyConfig, View extends JsonObject>(
  kind: RuleKind<Config, View>,
  host: RuleHost,
  reader: Reader,
  orgId: string,
  id: string,
): Promise<Shown<Config> | null> {
  const declared = fileRulesOf(kind, host, orgId).find((rule) => rule.id === id);
  if (declared) return declared;
  const row = await ruleById(reader, kind.kind, orgId, id);
  return row ? shownRow(kind, row) : null;
}

/** @throws Fault `managed_by_file` for a rule of floe.yaml */
export function mustBeChangeable<Config>(one: string, { id, source }: Shown<Config>): void {
  const { kind, file, line } = source;
  mustNotBeInFile(one, id, { source: kind, source_file: file, source_line: line });
}

/**
 * For what lets more money through: members say why, and confirm who they are.
 *
 * @throws Fault `reason_required`, `step_up_required`; neither for a key
 */
export function mustBeMeant(actor: Actor, reason: string | null, nowMs: number): void {
  if (actor.member && reason === null)
    throw new Fault(
      'reason_required',
      'This lets more money through than before. Say why, for the audit log.',
      {
        param: 'reason',
      },
    );
  requireStepUp(actor, nowMs);
}

/** A whole rule from what a client sent, null meaning absent. Throws `invalid_request` as floe.yaml would. */
export function configFrom<Config extends AnyConfig, View extends JsonObject>(
  { schema }: RuleKind<Config, View>,
  body: Readonly<Record<string, unknown>>,
): Config {
  const given = Object.entries(body).filter(([name, value]) => value != null && !SHOWN_ONLY.has(name));
  return validate(schema, Object.fromEntries(given));
}

const SHOWN_ONLY = new Set(['reason', 'id', 'state', 'source', 'created_at', 'updated_at', 'updated_by']);

export function fileRulesOf<Config extends AnyConfig, View extends JsonObject>(
  kind: RuleKind<Config, View>,
  host: RuleHost,
  orgId: string,
): Shown<Config>[] {
  const rules = host.fileRules(orgId);
  return kind.fileRules(rules).map(({ config, line }) => ({
    id: fileRuleId(config),
    config,
    source: { kind: 'file', file: rules.file, line },
    row: null,
  }));
}

export function shownRow<Config extends AnyConfig, View extends JsonObject>(
  kind: RuleKind<Config, View>,
  row: GuardrailRow,
): Shown<Config> {
  return { id: row.id, config: kind.storedConfig(row), source: MADE_HERE, row };
}

/** What limits and budgets show alike. */
export function shownRule({ id, config, source, row }: Shown<AnyConfig>) {
  const momentOf = (ms: number) => new Date(ms).toISOString();
  return {
    id,
    scope: config.scope ?? null,
    per: config.per ?? null,
    team: config.team ?? null,
    key: config.key ?? null,
    owner: config.owner ?? null,
    end_user: config.end_user ?? null,
    model: config.model ?? null,
    on_store_error: config.on_store_error,
    source,
    created_at: row && momentOf(row.created_at),
    updated_at: row && momentOf(row.updated_at),
    updated_by: row?.updated_by ?? null,
  };
}
