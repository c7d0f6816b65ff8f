import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { type GuardrailRow, putRule, rulesNamed } from '../../store/guardrail-rules.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import type { VerbContext } from '../verb.ts';
import type { RuleHost } from './rule-host.ts';
import {
  configFrom,
  fileRulesOf,
  mustBeChangeable,
  mustBeMeant,
  type RuleKind,
  type Shown,
  shownRow,
  shownRuleById,
  shownRules,
} from './rule-kind.ts';

/** What somebody wrote: how much is used at that moment is no part of a change. */
export function asWritten({ state: _, ...written }: JsonObject): JsonObject {
  return written;
}

function reasonIn({ reason }: Readonly<Record<string, unknown>>): string | null {
  return typeof reason === 'string' ? reason : null;
}

/** The limits, or the budgets, of orgs: what the verbs do with them. */
export class RulesOf<Config extends LimitConfig | BudgetConfig, View extends JsonObject> {
  readonly kind: RuleKind<Config, View>;
  readonly #host: RuleHost;

  constructor(kind: RuleKind<Config, View>, host: RuleHost) {
    this.kind = kind;
    this.#host = host;
  }

  /** Rules are few: the whole list is read, and the cursor counts. */
  async list(context: VerbContext & { readonly reader: Reader }, limit: number, cursor: string | undefined) {
    const from = cursor === undefined ? 0 : Number(/^\d{1,6}$/.exec(cursor)?.[0] ?? Number.NaN);
    if (Number.isNaN(from))
      throw new Fault('invalid_request', 'The cursor is not one that this list gave out.', {
        param: 'cursor',
      });
    const all = await shownRules(this.kind, this.#host, context.reader, context.orgId);
    const shown = all.slice(from, from + limit);
    return {
      data: await Promise.all(shown.map((rule) => this.view(context, rule))),
      next_cursor: from + limit < all.length ? String(from + limit) : null,
    };
  }

  view({ orgId, clock }: VerbContext, shown: Shown<Config>): Promise<View> {
    const { timezone } = this.#host.fileRules(orgId);
    return this.kind.view({ guard: this.#host.guard, orgId, timezone, nowMs: clock.now() }, shown);
  }

  find(reader: Reader, orgId: string, id: string): Promise<Shown<Config> | null> {
    return shownRuleById(this.kind, this.#host, reader, orgId, id);
  }

  /** @throws Fault `not_found` */
  async existing(reader: Reader, orgId: string, id: string): Promise<Shown<Config>> {
    const found = await this.find(reader, orgId, id);
    if (!found) throw new Fault('not_found', `No ${this.kind.one} has this id.`);
    return found;
  }

  /** Writes a rule in the place of `before`, if there is one, and says what changed. */
  async put(
    context: VerbContext & { readonly writer: Writer },
    id: string,
    before: Shown<Config> | null,
    body: Readonly<Record<string, unknown>>,
  ) {
    const { orgId, actor, clock, writer } = context;
    if (before) mustBeChangeable(this.kind.one, before);
    const config = configFrom(this.kind, body);
    await this.#mustBeFree(writer, orgId, id, this.kind.nameOf(config));
    const now = clock.now();
    const reason = reasonIn(body);
    if (before && this.kind.raises(before.config, config)) mustBeMeant(actor, reason, now);
    const row: GuardrailRow = {
      id,
      org_id: orgId,
      rule_json: JSON.stringify(config),
      created_at: before?.row?.created_at ?? now,
      updated_at: now,
      updated_by: actor.id,
    };
    if (before?.row?.rule_json === row.rule_json)
      return { answer: await this.view(context, before), audit: 'unchanged' as const };
    await putRule(writer, this.kind.kind, row);
    const after = await this.view(context, shownRow(this.kind, row));
    const shownBefore = before && (await this.view(context, before));
    const audit = {
      subject: id,
      before: shownBefore && asWritten(shownBefore),
      after: asWritten(after),
      reason,
    };
    return { answer: after, audit };
  }

  /** Refusals call a rule by its name, so one name means one rule. */
  async #mustBeFree(reader: Reader, orgId: string, id: string, name: string | undefined): Promise<void> {
    if (name === undefined) return;
    const declared = fileRulesOf(this.kind, this.#host, orgId);
    const stored = await rulesNamed(reader, this.kind.kind, orgId, name);
    const named = [
      ...declared.filter(({ config }) => this.kind.nameOf(config) === name).map((rule) => rule.id),
      // One with the id of a rule of the file is that rule.
      ...stored.map((row) => row.id).filter((one) => !declared.some((rule) => rule.id === one)),
    ];
    const other = named.find((one) => one !== id);
    if (other !== undefined)
      throw new Fault('conflict', `The ${this.kind.one} ${other} has this name.`, { param: 'name' });
  }
}
