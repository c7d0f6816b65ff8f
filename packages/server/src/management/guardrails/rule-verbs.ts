import { idParams, page, pageQuery } from '@floe/contract/api/page';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import { idFor, newId } from '../../core/ids.ts';
import { type GuardrailRow, putRule, removeRule } from '../../store/guardrail-rules.ts';
import type { Reader } from '../../store/ports.ts';
import { readVerb, type Verb, type VerbContext, writeVerb } from '../verb.ts';
import type { RuleHost } from './rule-host.ts';
import {
  configFrom,
  mustBeChangeable,
  type RuleKind,
  type Shown,
  shownRow,
  shownRuleById,
  shownRules,
} from './rule-kind.ts';

interface Shapes<View extends JsonObject> {
  readonly answer: z.ZodType<View, View>;
  readonly body: z.ZodObject;
  readonly replacement: z.ZodObject;
}

/** The verbs of limits or of budgets: one subject, two kinds. */
export function ruleVerbs<Config extends LimitConfig | BudgetConfig, View extends JsonObject>(
  kind: RuleKind<Config, View>,
  shapes: Shapes<View>,
  host: RuleHost,
): readonly Verb[] {
  const rules = new RulesOf(kind, host);
  const path = `/api/management/${kind.kind}` as const;
  return [
    readVerb({
      name: `${kind.kind}.list`,
      method: 'GET',
      path,
      scope: 'management',
      summary: `List ${kind.kind} with what is used of them: those of floe.yaml first, then newest first`,
      query: pageQuery,
      answer: page(shapes.answer),
      run: (context, { query }) => rules.list(context, query.limit, query.cursor),
    }),
    readVerb({
      name: `${kind.kind}.get`,
      method: 'GET',
      path: `${path}/{id}`,
      scope: 'management',
      summary: `Read one ${kind.one}`,
      params: idParams,
      answer: shapes.answer,
      run: async (context, { params }) =>
        rules.view(context, await rules.existing(context.reader, context.orgId, params.id)),
    }),
    writeVerb({
      name: `${kind.kind}.create`,
      method: 'POST',
      path,
      scope: 'management',
      summary: `Create a ${kind.one}`,
      body: shapes.body,
      answer: shapes.answer,
      status: 201,
      idempotent: true,
      changes: 'guardrails',
      async run(context, { body, idempotencyKey }) {
        const { orgId, clock } = context;
        const seed = `${kind.kind}\n${orgId}\n${idempotencyKey}`;
        const id = idempotencyKey === undefined ? newId(kind.prefix, clock.now()) : idFor(kind.prefix, seed);
        return rules.put(context, id, await shownRuleById(kind, host, context.writer, orgId, id), body);
      },
    }),
    writeVerb({
      name: `${kind.kind}.update`,
      method: 'PATCH',
      path: `${path}/{id}`,
      scope: 'management',
      summary: `Change some fields of a ${kind.one}; null clears`,
      params: idParams,
      body: shapes.body,
      answer: shapes.answer,
      status: 200,
      changes: 'guardrails',
      async run(context, { params, body }) {
        const before = await rules.existing(context.writer, context.orgId, params.id);
        return rules.put(context, before.id, before, { ...before.config, ...body });
      },
    }),
    writeVerb({
      name: `${kind.kind}.replace`,
      method: 'PUT',
      path: `${path}/{id}`,
      scope: 'management',
      summary: `Create or replace the ${kind.one} with this id; what GET returned is accepted`,
      params: z.strictObject({ id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'is no id') }),
      body: shapes.replacement,
      answer: shapes.answer,
      status: 200,
      changes: 'guardrails',
      run: async (context, { params, body }) =>
        rules.put(
          context,
          params.id,
          await shownRuleById(kind, host, context.writer, context.orgId, params.id),
          body,
        ),
    }),
    writeVerb({
      name: `${kind.kind}.delete`,
      method: 'DELETE',
      path: `${path}/{id}`,
      scope: 'management',
      summary: `Remove a ${kind.one}`,
      params: idParams,
      answer: z.null(),
      status: 204,
      changes: 'guardrails',
      async run(context, { params }) {
        const { writer, orgId } = context;
        const before = await rules.existing(writer, orgId, params.id);
        mustBeChangeable(kind.one, before);
        await removeRule(writer, kind.kind, orgId, before.id);
        const view = await rules.view(context, before);
        return { answer: null, audit: { subject: before.id, before: view, after: null } };
      },
    }),
  ];
}

class RulesOf<Config extends LimitConfig | BudgetConfig, View extends JsonObject> {
  readonly #kind: RuleKind<Config, View>;
  readonly #host: RuleHost;

  constructor(kind: RuleKind<Config, View>, host: RuleHost) {
    this.#kind = kind;
    this.#host = host;
  }

  /** Rules are few: the whole list is read, and the cursor counts. */
  async list(context: VerbContext & { readonly reader: Reader }, limit: number, cursor: string | undefined) {
    const from = cursor === undefined ? 0 : Number(/^\d{1,6}$/.exec(cursor)?.[0] ?? Number.NaN);
    if (Number.isNaN(from))
      throw new Fault('invalid_request', 'The cursor is not one that this list gave out.', {
        param: 'cursor',
      });
    const all = await shownRules(this.#kind, this.#host, context.reader, context.orgId);
    const shown = all.slice(from, from + limit);
    return {
      data: await Promise.all(shown.map((rule) => this.view(context, rule))),
      next_cursor: from + limit < all.length ? String(from + limit) : null,
    };
  }

  view({ orgId, clock }: VerbContext, shown: Shown<Config>): Promise<View> {
    const { timezone } = this.#host.fileRules(orgId);
    return this.#kind.view({ guard: this.#host.guard, orgId, timezone, nowMs: clock.now() }, shown);
  }

  async existing(reader: Reader, orgId: string, id: string): Promise<Shown<Config>> {
    const found = await shownRuleById(this.#kind, this.#host, reader, orgId, id);
    if (!found) throw new Fault('not_found', `No ${this.#kind.one} has this id.`);
    return found;
  }

  /** Writes a rule in the place of `before`, if there is one, and says what changed. */
  async put(
    context: VerbContext & { readonly writer: Parameters<typeof putRule>[0] },
    id: string,
    before: Shown<Config> | null,
    body: Readonly<Record<string, unknown>>,
  ) {
    const { orgId, key, clock, writer } = context;
    if (before) mustBeChangeable(this.#kind.one, before);
    const config = configFrom(this.#kind, body);
    await this.#mustBeFree(writer, orgId, id, this.#kind.nameOf(config));
    const now = clock.now();
    const row: GuardrailRow = {
      id,
      org_id: orgId,
      rule_json: JSON.stringify(config),
      created_at: before?.row?.created_at ?? now,
      updated_at: now,
      updated_by: key.id,
    };
    await putRule(writer, this.#kind.kind, row);
    const after = await this.view(context, shownRow(this.#kind, row));
    const shownBefore = before && (await this.view(context, before));
    return { answer: after, audit: { subject: id, before: shownBefore, after } };
  }

  /** Refusals call a rule by its name, so one name means one rule. */
  async #mustBeFree(reader: Reader, orgId: string, id: string, name: string | undefined): Promise<void> {
    if (name === undefined) return;
    const all = await shownRules(this.#kind, this.#host, reader, orgId);
    const other = all.find((rule) => rule.id !== id && this.#kind.nameOf(rule.config) === name);
    if (other)
      throw new Fault('conflict', `The ${this.#kind.one} ${other.id} has this name.`, { param: 'name' });
  }
}
