import * as z from 'zod';
import { jsonValueField } from '../json-value.ts';
import { createPageSchema, rangeQuery, timestamp } from './page.ts';

export const auditListQuery = rangeQuery.extend({
  actor: z.string().min(1).max(100).optional().describe('A key id, a member id, `file` or `setup`.'),
  action: z.string().min(1).max(100).optional().describe('A verb, such as `keys.create`.'),
  subject: z.string().min(1).max(100).optional().describe('Id of what was changed.'),
});

/** One change: who did what to which resource, and how it looked before and after. */
export const auditEntry = z
  .strictObject({
    id: z.string(),
    at: timestamp,
    actor: z.string(),
    actor_name: z.string().nullable().describe('Name of the key or member at that time.'),
    actor_kind: z.enum(['key', 'member', 'file', 'system']),
    action: z.string(),
    subject: z.string(),
    before: jsonValueField().describe('Null when the change created the subject.'),
    after: jsonValueField().describe('Null when the change removed the subject.'),
    ip_address: z
      .string()
      .nullable()
      .describe('IP address of the request. Null when no request made the change.'),
    session_id: z.string().nullable().describe('Console session of the change. Null for platform keys.'),
    reason: z.string().nullable().describe('Why, in the words of who did it; where one was given.'),
    seq: z.int().nullable().describe('Place in the chain; null for entries from before there was one.'),
    hash: z
      .string()
      .nullable()
      .describe(
        'HMAC-SHA-256 over this entry and the hash of the one before it, with a key outside of the database.',
      ),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.output<typeof auditEntry>;

export const auditExportQuery = auditListQuery
  .omit({ limit: true, cursor: true })
  .extend({ format: z.enum(['ndjson', 'csv']).default('ndjson').describe('Format of the file.') });

/** Whether the chain of the kept entries holds. */
export const auditChain = z
  .strictObject({
    valid: z.boolean(),
    checked_at: timestamp.describe(
      'When all of it was walked, once a minute at most. What was added since was checked now.',
    ),
    entries: z.int().describe('Number of entries checked.'),
    first_seq: z.int().nullable(),
    last_seq: z.int().nullable(),
    last_hash: z.string().nullable().describe('An anchor, as `GET /api/management/audit/anchors` has them.'),
    broken_at: z.int().nullable().describe('Place of the first entry that does not fit.'),
  })
  .meta({ id: 'AuditChain' });

const anchor = {
  seq: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'is not the hash of an audit log entry'),
};

/** What a chain ended with on a day. Kept elsewhere, it shows later whether the chain was rewritten or cut off. */
export const auditAnchor = z.strictObject({ ...anchor, at: timestamp }).meta({ id: 'AuditAnchor' });

export const auditAnchorList = createPageSchema(auditAnchor);

/** `POST /api/management/audit/verify`: anchors as they were exported. */
export const auditVerificationInput = z.strictObject({
  anchors: z
    .array(z.strictObject({ ...anchor, at: timestamp.optional() }))
    .min(1)
    .max(1000)
    .describe('Anchors as `audit.anchors` returned them.'),
});

/** Whether the chain of today is the one that anchors were exported from. */
export const auditVerificationResult = z.strictObject({
  valid: z.boolean().describe('The chain is valid, and no anchor differs or is missing.'),
  broken_at: z.int().nullable().describe('Sequence number of the first invalid entry.'),
  anchors: z.array(
    z.strictObject({
      seq: z.int(),
      status: z
        .enum(['matches', 'differs', 'missing', 'expired'])
        .describe(
          '`differs`: the entry has another hash. `missing`: the chain ends before it. `expired`: retention removed it.',
        ),
    }),
  ),
});
