import * as z from 'zod';
import { moment, rangeQuery } from './page.ts';

export const auditQuery = rangeQuery.extend({
  actor: z.string().min(1).max(100).optional().describe('A key id, a member id, `file` or `setup`.'),
  action: z.string().min(1).max(100).optional().describe('A verb, such as `keys.create`.'),
  subject: z.string().min(1).max(100).optional().describe('Id of what was changed.'),
});

/** One change: who did what to which resource, and how it looked before and after. */
export const auditEntry = z
  .strictObject({
    id: z.string(),
    at: moment,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    before: z.json().describe('Null when the change created the subject.'),
    after: z.json().describe('Null when the change removed the subject.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.output<typeof auditEntry>;
