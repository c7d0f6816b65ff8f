import * as z from 'zod';
import { createJsonValueField } from '../json-value.ts';
import { createPageSchema, timeRangeListQuery, timestamp } from './page.ts';

export const auditListQuery = timeRangeListQuery.extend({
  actor: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Only changes by this actor: a key id, a member id, `file`, `setup`, `cli`, `sign-in` or `oidc <issuer>`.',
    ),
  action: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Only changes by this operation, such as `keys.create`.'),
  subject: z.string().min(1).max(100).optional().describe('Only changes to the resource with this id.'),
});

/** One change: the actor, the action, and the resource with its state before and after the change. */
export const auditEntry = z
  .strictObject({
    id: z.string(),
    at: timestamp,
    actor: z.string(),
    actor_name: z
      .string()
      .nullable()
      .describe(
        'Name of the key or email address of the member at the time of the change. `null` for other actors.',
      ),
    actor_kind: z.enum(['key', 'member', 'file', 'system']),
    action: z.string(),
    subject: z.string(),
    before: createJsonValueField().describe(
      'Resource before the change. `null` if the change created the resource, or if the action changed no resource, such as a sign-in.',
    ),
    after: createJsonValueField().describe(
      'Resource after the change, or details of an action that changed no resource. `null` if the change removed the resource, or if there are no details.',
    ),
    ip_address: z
      .string()
      .nullable()
      .describe('IP address of the caller. `null` if no request made the change.'),
    session_id: z
      .string()
      .nullable()
      .describe(
        'Id of the console session that made the change. `null` if no console session made the change.',
      ),
    reason: z.string().nullable().describe('Reason for the change. `null` if the actor gave no reason.'),
    seq: z
      .int()
      .nullable()
      .describe('Sequence number in the hash chain. `null` for entries that are older than the chain.'),
    hash: z
      .string()
      .nullable()
      .describe(
        'HMAC-SHA-256 over this entry and the hash of the previous entry. The HMAC key is stored outside the database. `null` for entries that are older than the chain.',
      ),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.output<typeof auditEntry>;

export const auditExportQuery = auditListQuery
  .omit({ limit: true, cursor: true })
  .extend({ format: z.enum(['ndjson', 'csv']).default('ndjson').describe('Format of the file.') });

/** The result of verifying the hash chain of the stored audit entries. */
export const auditChainStatus = z
  .strictObject({
    valid: z.boolean(),
    checked_at: timestamp.describe(
      'Time of the last complete verification, which runs at most once a minute. If it found no invalid entry, the entries added since then were verified for this response.',
    ),
    entries: z.int().describe('Number of verified entries.'),
    first_seq: z.int().nullable(),
    last_seq: z.int().nullable(),
    last_hash: z
      .string()
      .nullable()
      .describe(
        'Hash of the last entry. Together with `last_seq`, this hash is an anchor, like those that `GET /api/management/audit/anchors` returns.',
      ),
    broken_at: z
      .int()
      .nullable()
      .describe('Sequence number of the first invalid entry. `null` if all entries are valid.'),
  })
  .meta({ id: 'AuditChain' });

const anchor = {
  seq: z.int().min(1),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the hash of an audit log entry: 64 lowercase hexadecimal digits'),
};

/**
 * The hash of the last entry that was added to an audit chain on a day. With an exported anchor, Floe can
 * later detect whether the chain was rewritten or truncated.
 */
export const auditAnchor = z.strictObject({ ...anchor, at: timestamp }).meta({ id: 'AuditAnchor' });

export const auditAnchorList = createPageSchema(auditAnchor);

/** The request body of `POST /api/management/audit/verify`. It contains exported anchors. */
export const auditVerificationInput = z.strictObject({
  anchors: z
    .array(z.strictObject({ ...anchor, at: timestamp.optional() }))
    .min(1)
    .max(1000)
    .describe('Anchors in the format that `GET /api/management/audit/anchors` returns.'),
});

/**
 * The result of verifying the audit chain: whether the chain is valid, and the status of each exported
 * anchor.
 */
export const auditVerificationResult = z.strictObject({
  valid: z.boolean().describe('Whether the chain is valid and no anchor differs or is missing.'),
  broken_at: z
    .int()
    .nullable()
    .describe('Sequence number of the first invalid entry. `null` if all entries are valid.'),
  anchors: z.array(
    z.strictObject({
      seq: z.int(),
      status: z
        .enum(['matches', 'differs', 'missing', 'expired'])
        .describe(
          '`matches`: the entry has the same hash. `differs`: the entry has a different hash. `missing`: the chain does not contain the entry, although retention has not removed it. `expired`: retention removed the entry.',
        ),
    }),
  ),
});
