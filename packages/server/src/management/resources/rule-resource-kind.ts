import { limitOrBudgetDeletionQuery } from '@floe/contract/api/limits-and-budgets';
import { createListQuerySchema } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { createId } from '../../core/ids.ts';
import {
  type ConfigFileRuleIdentity,
  computeConfigFileRuleId,
} from '../../guardrails/compile-limits-and-budgets.ts';
import { toResourceSource } from '../../platform/source-location.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import {
  deleteStoredRule,
  findStoredRuleById,
  listStoredRulesByName,
  listStoredRulesOfOrg,
  type StoredRuleKind,
  type StoredRuleRow,
  upsertStoredRule,
} from '../../store/stored-rules.ts';
import type {
  ConfigFileRule,
  OrgConfigFileRules,
  RuleDependencies,
} from '../guardrails/rule-dependencies.ts';
import { paginateList } from '../list-page.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import type { ReadOperationContext, WriteOperationContext } from '../operation-definition.ts';
import type { ResourceKind, ResourceObject } from './resource-kind.ts';

type RuleInputFields = Readonly<Record<string, unknown>>;

/** A rule that floe.yaml defines or that was created with the API. */
export interface ConfiguredRule<Config> {
  readonly id: string;
  readonly config: Config;
  readonly source: ReturnType<typeof toResourceSource>;
  /** Null for a rule of floe.yaml. */
  readonly row: StoredRuleRow | null;
}

type RuleResourceKind<Config, View extends ResourceObject> = ResourceKind<
  ConfiguredRule<Config>,
  RuleDraft<Config>,
  View,
  RuleSchemas<View>
>;

/** The properties that differ between kinds of rules. */
export interface RuleResourceKindSpec<Config, View extends ResourceObject>
  extends Pick<
    RuleResourceKind<Config, View>,
    'path' | 'invalidates' | 'volatileFields' | 'summaries' | 'notFoundMessage' | 'toAuditView'
  > {
  readonly kind: StoredRuleKind;
  /** The name of one rule in messages, such as `limit`. */
  readonly singular: string;
  readonly idPrefix: 'lim' | 'bud' | 'rlr';
  readonly schema: z.ZodType<Config>;
  readonly answer: z.ZodType<View, View>;
  readonly body: z.ZodType<RuleInputFields>;
  /** Body of `PUT`. */
  readonly replacement: z.ZodType<RuleInputFields>;
  fileRulesOf(rules: OrgConfigFileRules): readonly ConfigFileRule<Config>[];
  /**
   * Parses a whole rule from client input. Null means absent. @throws Fault `invalid_request` as for
   * floe.yaml
   */
  parseConfig(fields: RuleInputFields): Config;
  /**
   * Requires that what a changed rule refers to exists. `before` is null for a new rule. If `requiresKey` is
   * false, the key may be created later. Absent: the rule refers to nothing.
   *
   * @throws Fault `invalid_request`
   */
  requireReferences?(
    context: WriteOperationContext,
    config: Config,
    before: Config | null,
    requiresKey: boolean,
  ): Promise<void>;
  /**
   * Requires that all rules of the organization are valid together.
   * @param rules the rules of floe.yaml and then the others
   * @throws Fault `invalid_request`
   */
  requireValidList?(rules: readonly Config[]): void;
  toResource(rule: ConfiguredRule<Config>, context: ReadOperationContext): Promise<View>;
  /** Same meaning as in `WritableResourceKind`. */
  increasesSpending?(before: Config, after: Config | null): boolean;
}

interface RuleDraft<Config> {
  readonly id: string;
  readonly config: Config;
}

interface RuleSchemas<View> {
  readonly answer: z.ZodType<View, View>;
  readonly list: typeof RULE_LIST_QUERY;
  readonly creation: z.ZodType<RuleInputFields>;
  readonly change: z.ZodType<RuleInputFields>;
  readonly replacement: z.ZodType<RuleInputFields>;
  readonly replaceParams: typeof RULE_ID_PARAMS;
  readonly removal?: typeof limitOrBudgetDeletionQuery;
}

const RULE_LIST_QUERY = createListQuerySchema(['position']);
const RULE_ID_PARAMS = z.strictObject({
  id: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,63}$/,
      'must start with a lowercase letter or a digit, contain only lowercase letters, digits, ".", "_" and "-", and have at most 64 characters',
    ),
});

// budget: one declaration
/**
 * Creates a resource kind for rules, which floe.yaml or the API can define. Lists contain the rules of floe.yaml in file
 * order, and then the others, newest first.
 */
export function createRuleResourceKind<Config extends ConfigFileRuleIdentity, View extends ResourceObject>(
  spec: RuleResourceKindSpec<Config, View>,
  dependencies: Pick<RuleDependencies, 'getFileRules'>,
): RuleResourceKind<Config, View> {
  const { increasesSpending, requireValidList, ...declaration } = spec;
  const { kind, singular, answer, body } = spec;
  const fromRow = (row: StoredRuleRow): ConfiguredRule<Config> => ({
    id: row.id,
    config: spec.schema.parse(JSON.parse(row.rule_json)),
    source: toResourceSource({ source: 'console', source_line: null }),
    row,
  });
  const listFileRules = (orgId: string) => {
    const rules = dependencies.getFileRules(orgId);
    return spec.fileRulesOf(rules).map(({ config, line }): ConfiguredRule<Config> => {
      const source = toResourceSource({ source: 'file', source_file: rules.file, source_line: line });
      return { id: computeConfigFileRuleId(config), config, source, row: null };
    });
  };
  /** A file rule replaces the stored rule with the same id until the file no longer contains it. */
  const mergeRules = (orgId: string, rows: readonly StoredRuleRow[]) => {
    const inFile = listFileRules(orgId);
    return [...inFile, ...rows.filter((row) => !inFile.some(({ id }) => id === row.id)).map(fromRow)];
  };
  /** Errors and decisions identify a rule by its name, so names are unique. */
  const requireFreeName = async (
    reader: DatabaseReader,
    orgId: string,
    { id, config: { name } }: RuleDraft<Config>,
  ) => {
    if (name === undefined) return;
    const known = mergeRules(orgId, await listStoredRulesByName(reader, kind, orgId, name));
    const other = known.find((rule) => rule.config.name === name && rule.id !== id);
    if (other)
      throw new Fault('conflict', `The ${singular} ${other.id} already has this name. Choose another name.`, {
        param: 'name',
      });
  };
  const buildDraft = async (context: WriteOperationContext, fields: RuleInputFields, id: string) => {
    const wanted = { id, config: spec.parseConfig(fields) };
    await requireFreeName(context.reader, context.orgId, wanted);
    return wanted;
  };
  /** @param before the rule before a change; null for a new rule */
  const buildCheckedDraft = async (
    context: WriteOperationContext,
    fields: RuleInputFields,
    id: string,
    before: Config | null,
  ) => {
    const wanted = await buildDraft(context, fields, id);
    await spec.requireReferences?.(context, wanted.config, before, true);
    return wanted;
  };
  const writeRule = async (
    { writer, orgId, actor, clock }: WriteOperationContext,
    { id, config }: RuleDraft<Config>,
    before: StoredRuleRow | null,
  ) => {
    const now = clock.now();
    const row: StoredRuleRow = {
      id,
      org_id: orgId,
      rule_json: JSON.stringify(config),
      created_at: before?.created_at ?? now,
      updated_at: now,
      updated_by: actor.id,
    };
    await upsertStoredRule(writer, kind, row);
    return fromRow(row);
  };
  return {
    ...declaration,
    scope: 'management',
    schemas: {
      answer,
      list: RULE_LIST_QUERY,
      creation: body,
      change: body,
      replacement: spec.replacement,
      replaceParams: RULE_ID_PARAMS,
      ...(increasesSpending && { removal: limitOrBudgetDeletionQuery }),
    },
    async find(reader, orgId, id) {
      const inFile = listFileRules(orgId).find((rule) => rule.id === id);
      const row = inFile ? undefined : await findStoredRuleById(reader, kind, orgId, id);
      return row ? fromRow(row) : inFile;
    },
    async getPage({ reader, orgId }, query) {
      const getListFields = ({ id, config, row }: ConfiguredRule<Config>) => ({
        id,
        name: config.name ?? id,
        createdAt: row?.created_at ?? null,
      });
      return paginateList(
        mergeRules(orgId, await listStoredRulesOfOrg(reader, kind, orgId)),
        getListFields,
        query,
      );
    },
    requireChangeable({ id, source: { kind: source, file, line } }) {
      requireNotManagedByFile(singular, id, { source, source_file: file, source_line: line });
    },
    ...(increasesSpending && {
      increasesSpending: ({ config }: ConfiguredRule<Config>, wanted: RuleDraft<Config> | null) =>
        increasesSpending(config, wanted?.config ?? null),
    }),
    configFromCreation: (context, sent) =>
      buildCheckedDraft(context, sent.body, createId(spec.idPrefix, context.clock.now()), null),
    configFromPatch: (context, { id, config }, sent) =>
      buildCheckedDraft(context, { ...config, ...sent.body }, id, config),
    // A configuration document applies rules with replacements. The keys whose values are missing in the
    // document are created later. Its teams already exist.
    async configFromReplacement(context, before, id, sent) {
      const wanted = await buildDraft(context, sent.body, id);
      await spec.requireReferences?.(context, wanted.config, before?.config ?? null, false);
      return wanted;
    },
    insert: (context, wanted) => writeRule(context, wanted, null),
    async update(context, { row }, wanted) {
      if (row?.rule_json === JSON.stringify(wanted.config)) return null;
      return writeRule(context, wanted, row);
    },
    remove: ({ writer, orgId }, { id }) => deleteStoredRule(writer, kind, orgId, id),
    ...(requireValidList && {
      async requireValidResult({ reader, orgId }: WriteOperationContext) {
        const rules = mergeRules(orgId, await listStoredRulesOfOrg(reader, kind, orgId));
        requireValidList(rules.map(({ config }) => config));
      },
    }),
  };
}

/** Returns the fields that a client sent, without read-only fields. */
export function selectProvidedRuleFields(
  fields: RuleInputFields,
  ignored: ReadonlySet<string> = new Set(),
): RuleInputFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value != null && !ignored.has(name)),
  );
}

/** Returns the source and author of a rule in the API format. All kinds of rules have these fields. */
export function toRuleMetadata({ source, row }: Pick<ConfiguredRule<unknown>, 'source' | 'row'>) {
  const toIso = (ms: number) => new Date(ms).toISOString();
  return {
    source,
    created_at: row && toIso(row.created_at),
    updated_at: row && toIso(row.updated_at),
    updated_by: row?.updated_by ?? null,
  };
}
