import { ruleRemoval } from '@floe/contract/api/guardrails';
import { listQuery } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { newId } from '../../core/ids.ts';
import { type FileRuleConfig, fileRuleId } from '../../guardrails/rules.ts';
import { placeOf } from '../../platform/file-place.ts';
import {
  type GuardrailKind,
  type GuardrailRow,
  putRule,
  removeRule,
  ruleById,
  rulesNamed,
  rulesOfOrg,
} from '../../store/guardrail-rules.ts';
import type { Reader } from '../../store/ports.ts';
import type { FileRule, FileRules, RuleHost } from '../guardrails/rule-host.ts';
import { pageOfList } from '../list-page.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import type { Reading, Writing } from '../verb-definition.ts';
import type { Answer, ResourceKind } from './resource-kind.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A rule, of floe.yaml or made through the API. */
export interface StoredRule<Config> {
  readonly id: string;
  readonly config: Config;
  readonly source: ReturnType<typeof placeOf>;
  /** Null for a rule of floe.yaml. */
  readonly row: GuardrailRow | null;
}

type RuleResource<Config, View extends Answer> = ResourceKind<
  StoredRule<Config>,
  RuleDraft<Config>,
  View,
  RuleShapes<View>
>;

/** What differs between kinds of rules. */
export interface RuleSpec<Config, View extends Answer>
  extends Pick<RuleResource<Config, View>, 'path' | 'changes' | 'live' | 'summaries' | 'unknown' | 'shown'> {
  readonly kind: GuardrailKind;
  /** In messages. */
  readonly one: string;
  readonly prefix: 'lim' | 'bud' | 'rlr';
  readonly schema: z.ZodType<Config>;
  readonly answer: z.ZodType<View, View>;
  readonly body: z.ZodType<Fields>;
  /** Of `PUT`. */
  readonly replacement: z.ZodType<Fields>;
  inFile(rules: FileRules): readonly FileRule<Config>[];
  /** A whole rule from what a client sent, null meaning absent. @throws Fault `invalid_request` as floe.yaml would */
  checked(fields: Fields): Config;
  view(rule: StoredRule<Config>, context: Reading): Promise<View>;
  /** As `raises` of a `ResourceKind`. */
  raises?(before: Config, after: Config | null): boolean;
}

interface RuleDraft<Config> {
  readonly id: string;
  readonly config: Config;
}

interface RuleShapes<View> {
  readonly answer: z.ZodType<View, View>;
  readonly list: typeof RULE_LIST;
  readonly creation: z.ZodType<Fields>;
  readonly change: z.ZodType<Fields>;
  readonly replacement: z.ZodType<Fields>;
  readonly replaceParams: typeof RULE_ID;
  readonly removal?: typeof ruleRemoval;
}

const RULE_LIST = listQuery(['position']);
const RULE_ID = z.strictObject({ id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'is no id') });

/** A kind of the tables of rules: those of floe.yaml come first, as they are written there, then the others, newest first. */
// budget: one declaration
export function ruleKind<Config extends FileRuleConfig, View extends Answer>(
  spec: RuleSpec<Config, View>,
  host: Pick<RuleHost, 'fileRules'>,
): RuleResource<Config, View> {
  const { raises, ...declaration } = spec;
  const { kind, one, answer, body } = spec;
  const storedRule = (row: GuardrailRow): StoredRule<Config> => ({
    id: row.id,
    config: spec.schema.parse(JSON.parse(row.rule_json)),
    source: placeOf({ source: 'console', source_line: null }),
    row,
  });
  const declared = (orgId: string) => {
    const rules = host.fileRules(orgId);
    return spec.inFile(rules).map(({ config, line }): StoredRule<Config> => {
      const source = placeOf({ source: 'file', source_file: rules.file, source_line: line });
      return { id: fileRuleId(config), config, source, row: null };
    });
  };
  /** A row with the id of a rule of the file is that rule, and waits until the file lets it go. */
  const all = (orgId: string, rows: readonly GuardrailRow[]) => {
    const inFile = declared(orgId);
    return [...inFile, ...rows.filter((row) => !inFile.some(({ id }) => id === row.id)).map(storedRule)];
  };
  /** Refusals and decisions call a rule by its name, so one name means one rule. */
  const mustBeFree = async (reader: Reader, orgId: string, { id, config: { name } }: RuleDraft<Config>) => {
    if (name === undefined) return;
    const known = all(orgId, await rulesNamed(reader, kind, orgId, name));
    const other = known.find((rule) => rule.config.name === name && rule.id !== id);
    if (other) throw new Fault('conflict', `The ${one} ${other.id} has this name.`, { param: 'name' });
  };
  const draft = async ({ reader, orgId }: Writing, id: string, fields: Fields) => {
    const wanted = { id, config: spec.checked(fields) };
    await mustBeFree(reader, orgId, wanted);
    return wanted;
  };
  const write = async (
    { writer, orgId, actor, clock }: Writing,
    { id, config }: RuleDraft<Config>,
    before: GuardrailRow | null,
  ) => {
    const now = clock.now();
    const row: GuardrailRow = {
      id,
      org_id: orgId,
      rule_json: JSON.stringify(config),
      created_at: before?.created_at ?? now,
      updated_at: now,
      updated_by: actor.id,
    };
    await putRule(writer, kind, row);
    return storedRule(row);
  };
  return {
    ...declaration,
    scope: 'management',
    shapes: {
      answer,
      list: RULE_LIST,
      creation: body,
      change: body,
      replacement: spec.replacement,
      replaceParams: RULE_ID,
      ...(raises && { removal: ruleRemoval }),
    },
    async find(reader, orgId, id) {
      const inFile = declared(orgId).find((rule) => rule.id === id);
      const row = inFile ? undefined : await ruleById(reader, kind, orgId, id);
      return row ? storedRule(row) : inFile;
    },
    async page({ reader, orgId }, query) {
      const place = ({ id, config, row }: StoredRule<Config>) => ({
        id,
        name: config.name ?? id,
        at: row?.created_at ?? null,
      });
      return pageOfList(all(orgId, await rulesOfOrg(reader, kind, orgId)), place, query);
    },
    mustBeChangeable({ id, source: { kind: source, file, line } }) {
      mustNotBeInFile(one, id, { source, source_file: file, source_line: line });
    },
    ...(raises && {
      raises: ({ config }: StoredRule<Config>, wanted: RuleDraft<Config> | null) =>
        raises(config, wanted?.config ?? null),
    }),
    created: (context, sent) => draft(context, newId(spec.prefix, context.clock.now()), sent.body),
    changed: (context, { id, config }, sent) => draft(context, id, { ...config, ...sent.body }),
    replaced: (context, _, id, sent) => draft(context, id, sent.body),
    insert: (context, wanted) => write(context, wanted, null),
    async update(context, { row }, wanted) {
      if (row?.rule_json === JSON.stringify(wanted.config)) return null;
      return write(context, wanted, row);
    },
    remove: ({ writer, orgId }, { id }) => removeRule(writer, kind, orgId, id),
  };
}

/** Fields that a client gave, but for those that only answers have. */
export function given(fields: Fields, ignored: ReadonlySet<string> = new Set()): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value != null && !ignored.has(name)),
  );
}

/** Where a rule is written and by whom, as every kind shows it. */
export function writtenBy({ source, row }: Pick<StoredRule<unknown>, 'source' | 'row'>) {
  const momentOf = (ms: number) => new Date(ms).toISOString();
  return {
    source,
    created_at: row && momentOf(row.created_at),
    updated_at: row && momentOf(row.updated_at),
    updated_by: row?.updated_by ?? null,
  };
}
