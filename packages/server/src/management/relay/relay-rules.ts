import type { relayRule } from '@floe/contract/api/relay-management';
import type { RelayConfig, RelayRuleConfig } from '@floe/contract/config';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { compileRule } from '@floe/relay/rules/rule';
import type * as z from 'zod';
import { placeOf, USUAL_FILE } from '../../platform/file-place.ts';
import { storedRelayRule } from '../../relay/stored-rules.ts';
import { type GuardrailRow, putRule, ruleById, rulesNamed, rulesOfOrg } from '../../store/guardrail-rules.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { hitsByRule } from '../../store/relay/decisions.ts';
import { mustNotBeInFile } from '../in-file.ts';
import { validate } from '../input.ts';
import type { VerbContext } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';
import { compiledFor } from './rule-problem.ts';

type RuleJson = JsonObject & { readonly name: string };
type View = Omit<z.input<typeof relayRule>, 'rule'> & { readonly rule: RuleJson };
type Reading = Pick<VerbContext, 'orgId' | 'clock'> & { readonly reader: Reader };

const WEEK_MS = 7 * 24 * 3_600_000;
const HITS_LOOKED_AT = 10_000;

/** A rule wherever it stands. */
interface Shown {
  readonly id: string;
  readonly config: RelayRuleConfig;
  readonly source: ReturnType<typeof placeOf>;
  /** Null for a rule of floe.yaml. */
  readonly row: GuardrailRow | null;
}

/** @throws Fault `managed_by_file` for a rule of floe.yaml */
export function mustBeChangeable({ config, source }: Shown): void {
  const { kind, file, line } = source;
  mustNotBeInFile('rule', config.name, { source: kind, source_file: file, source_line: line });
}

/** The rules of orgs: what the verbs do with them. A rule of the file has its name for its id. */
export class RelayRules {
  readonly #host: RelayHost;
  readonly #hits = new WeakMap<Writer, Promise<ReadonlyMap<string, number>>>();

  constructor(host: RelayHost) {
    this.#host = host;
  }

  /** Rules are few: the whole list is read, and the cursor counts. */
  async list(context: Reading, limit: number, cursor: string | undefined) {
    const from = cursor === undefined ? 0 : Number(/^\d{1,6}$/.exec(cursor)?.[0] ?? Number.NaN);
    if (Number.isNaN(from))
      throw new Fault('invalid_request', 'The cursor is not one that this list gave out.', {
        param: 'cursor',
      });
    const all = await this.#all(context.reader, context.orgId);
    const hits = await hitsOf(context);
    return {
      data: all.slice(from, from + limit).map((shown) => this.#view(context.orgId, shown, hits)),
      next_cursor: from + limit < all.length ? String(from + limit) : null,
    };
  }

  async view(context: Reading, shown: Shown): Promise<View> {
    return this.#view(context.orgId, shown, await hitsOf(context));
  }

  /** @throws Fault `not_found` */
  async existing(reader: Reader, orgId: string, id: string): Promise<Shown> {
    const found = await this.#find(reader, orgId, id);
    if (!found) throw new Fault('not_found', 'No rule of the relay has this id.');
    return found;
  }

  /** Writes a rule, in the place of the one with its id if there is one, and says what changed. */
  async put(
    context: VerbContext & { readonly writer: Writer },
    id: string,
    body: Readonly<Record<string, unknown>>,
  ) {
    const { orgId, actor, clock, writer } = context;
    const before = await this.#find(writer, orgId, id);
    if (before) mustBeChangeable(before);
    const config = configFrom(body);
    await this.#mustBeFree(writer, orgId, id, config.name);
    const nowMs = clock.now();
    const row: GuardrailRow = {
      id,
      org_id: orgId,
      rule_json: JSON.stringify(config),
      created_at: before?.row?.created_at ?? nowMs,
      updated_at: nowMs,
      updated_by: actor.id,
    };
    const hits = await this.#hitsIn(writer, context);
    if (before?.row?.rule_json === row.rule_json)
      return { answer: this.#view(orgId, before, hits), audit: 'unchanged' as const };
    await putRule(writer, 'relay_rules', row);
    const after = this.#view(orgId, shownRow(row), hits);
    return {
      answer: after,
      audit: { subject: id, before: before && this.#view(orgId, before, hits), after },
    };
  }

  /** A document writes many rules in one transaction, which sees the same decisions from its beginning to its end. */
  #hitsIn(writer: Writer, context: VerbContext): Promise<ReadonlyMap<string, number>> {
    const known = this.#hits.get(writer) ?? hitsOf({ ...context, reader: writer });
    this.#hits.set(writer, known);
    return known;
  }

  async #all(reader: Reader, orgId: string): Promise<Shown[]> {
    return [...this.#ofFile(orgId), ...(await rulesOfOrg(reader, 'relay_rules', orgId)).map(shownRow)];
  }

  async #find(reader: Reader, orgId: string, id: string): Promise<Shown | null> {
    const declared = this.#ofFile(orgId).find((rule) => rule.id === id);
    if (declared) return declared;
    const row = await ruleById(reader, 'relay_rules', orgId, id);
    return row ? shownRow(row) : null;
  }

  #ofFile(orgId: string): Shown[] {
    const file = this.#host.fileRelay(orgId);
    return (file?.config.rules ?? []).map((config, index) => ({
      id: config.name,
      config,
      source: { kind: 'file', file: file?.name ?? USUAL_FILE, line: file?.lineOf(index) ?? null },
      row: null,
    }));
  }

  /** Decisions call a rule by its name, so one name means one rule. */
  async #mustBeFree(reader: Reader, orgId: string, id: string, name: string): Promise<void> {
    const declared = this.#ofFile(orgId).filter((rule) => rule.config.name === name);
    const stored = await rulesNamed(reader, 'relay_rules', orgId, name);
    const other = [...declared, ...stored].find((rule) => rule.id !== id);
    if (other) throw new Fault('conflict', `The rule ${other.id} has this name.`, { param: 'name' });
  }

  #view(orgId: string, { id, config, source, row }: Shown, hits: ReadonlyMap<string, number>): View {
    const running: RelayConfig = this.#host.relays.of(orgId).relay.config;
    const momentOf = (ms: number) => new Date(ms).toISOString();
    const rule: RuleJson = JSON.parse(JSON.stringify(config));
    return {
      id,
      rule,
      mode: running.mode === 'enforce' ? config.mode : 'observe',
      hits: hits.get(config.name) ?? 0,
      source,
      created_at: row && momentOf(row.created_at),
      updated_at: row && momentOf(row.updated_at),
      updated_by: row?.updated_by ?? null,
    };
  }
}

function shownRow(row: GuardrailRow): Shown {
  const source = placeOf({ source: 'console', source_line: null });
  return { id: row.id, config: storedRelayRule(row), source, row };
}

function hitsOf({ reader, orgId, clock }: Reading): Promise<ReadonlyMap<string, number>> {
  return hitsByRule(reader, orgId, clock.now() - WEEK_MS, HITS_LOOKED_AT);
}

/** A whole rule from what a client sent: the rule itself, or what GET gave. @throws Fault as floe.yaml would refuse it */
function configFrom(body: Readonly<Record<string, unknown>>): RelayRuleConfig {
  const fields = isObject(body['rule']) ? body['rule'] : body;
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const config: RelayRuleConfig = validate(RelayRuleSchema, Object.fromEntries(given));
  compiledFor(() => compileRule(config));
  return config;
}
