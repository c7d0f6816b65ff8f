import * as z from 'zod';
import { RELAY_RULE_FIELDS } from '../config/relay.ts';
import type { Json } from '../json.ts';
import { timestamp } from './page.ts';
import { relayRuleMode } from './relay.ts';
import { readOnlyField, readOnlyMetadataFields, toWritableFields } from './resource-fields.ts';
import { resourceSource } from './resource-source.ts';

const json: z.ZodType<Json, Json> = z.any();

/** A relay rule and where it is defined. */
export const relayRuleResource = z
  .strictObject({
    id: z.string(),
    rule: z.object({ name: z.string() }).catchall(json).describe('Rule in `floe.yaml` format.'),
    mode: relayRuleMode.describe(
      'Mode in which the rule is evaluated. If `relay.mode` is `observe`, this mode is `observe`.',
    ),
    match_count: z
      .int()
      .describe(
        'Number of decisions in the last seven days whose field `rule` contains the name of this rule. Floe counts at most 10,000 decisions per rule.',
      ),
    source: resourceSource,
    created_at: timestamp.nullable(),
    updated_at: timestamp.nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'RelayRule' });

/** Fields of the response of `GET` that have no effect in a request. */
export const RELAY_RULE_READ_ONLY_FIELDS = { ...readOnlyMetadataFields, match_count: readOnlyField };

/**
 * The request body to create or replace a relay rule. It also accepts a rule in the form that `GET`
 * returns.
 */
export const relayRuleInput = z
  .strictObject({
    ...toWritableFields(RELAY_RULE_FIELDS),
    rule: z
      .strictObject(toWritableFields(RELAY_RULE_FIELDS))
      .nullish()
      .describe(
        'The whole rule, as `GET` returns it. Set either this field or the individual fields of the rule.',
      ),
    ...RELAY_RULE_READ_ONLY_FIELDS,
  })
  .superRefine(({ rule, ...others }, context) => {
    if (rule == null) return;
    const fields: Readonly<Record<string, unknown>> = others;
    // `GET` returns the mode in force beside the rule.
    const beside = Object.keys(RELAY_RULE_FIELDS).find((name) => name !== 'mode' && fields[name] != null);
    if (beside !== undefined)
      context.addIssue({
        code: 'custom',
        path: [beside],
        message: 'cannot be combined with "rule", which contains the whole rule; move this field into "rule"',
      });
  })
  .describe('Rule in `floe.yaml` format. `null` clears a field.');
