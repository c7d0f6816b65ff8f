import * as z from 'zod';
import { ORG_SETTINGS_FIELDS } from '../config/org.ts';
import {
  readOnlyField,
  readOnlyMetadataFields,
  resourceMetadataFields,
  toWritableFields,
} from './resource-fields.ts';

const passthroughTargetList = z.array(
  z.strictObject({ provider: z.string(), model_map: z.record(z.string(), z.string()) }),
);

/** The organization's effective settings. The response cache settings are a separate resource. */
export const orgSettingsResource = z
  .strictObject({
    chat_reasoning: z.enum(['strip', 'forward']),
    stored_responses: z.boolean(),
    resource_scope: z.enum(['key', 'org']),
    analytics: z.strictObject({ metadata_keys: z.array(z.string()) }),
    attribution: z.strictObject({ user_headers: z.array(z.string()) }),
    monitoring: z.strictObject({ grace_period_minutes: z.number() }),
    bodies: z.strictObject({ keep: z.boolean(), redact: z.boolean() }),
    passthrough: z.strictObject({ a: passthroughTargetList, b: passthroughTargetList }),
    ide: z.strictObject({
      error_profile: z.boolean(),
      freeform_tools: z.enum(['function', 'custom']),
      capture: z.boolean(),
    }),
    relay: z.strictObject({
      mode: z.enum(['observe', 'enforce']),
      ask_fallback: z.enum(['deny', 'abstain']),
      offline: z.enum(['decide', 'on_error']),
      self_tamper: z.enum(['off', 'observe', 'enforce']),
      approvals: z.strictObject({ enabled: z.boolean(), expires_minutes: z.int() }),
      keep_text: z.enum(['masked', 'none']),
    }),
    sources: z
      .record(z.string(), z.strictObject(resourceMetadataFields))
      .describe(
        'Where each setting is defined. A setting whose `updated_at` is `null` has its default value.',
      ),
  })
  .meta({ id: 'OrgSettings' });

const { cache, ...others } = ORG_SETTINGS_FIELDS;

/**
 * The request to update settings. Absent sections, and absent fields in a section, keep their values.
 * Null resets a section to its default.
 */
export const orgSettingsPatch = z.strictObject({
  ...toWritableFields(others),
  sources: readOnlyField,
});

export const cacheSettingsPatch = z.strictObject({
  ...toWritableFields(cache.unwrap().shape),
  purges: readOnlyField,
  ...readOnlyMetadataFields,
});
