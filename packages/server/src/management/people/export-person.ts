import { personSelector } from '@floe/contract/api/people';
import { createFileDownloadSchema, FileDownload, NDJSON_CONTENT_TYPE } from '../file-download.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { PersonExport } from './person-export.ts';
import { computePersonAuditId, resolvePerson } from './resolve-person.ts';

/**
 * Defines the operation that streams the data of a person. The audit log records each export, because
 * an export contains request and response bodies.
 */
export function defineExportPersonOperation(dependencies: PeopleDependencies): Operation {
  return defineWriteOperation({
    name: 'people.export',
    method: 'POST',
    path: '/api/management/people/export',
    scope: 'management',
    summary:
      'Download the data of one person as NDJSON: one record per line, with its type in the field `kind`',
    body: personSelector,
    answer: createFileDownloadSchema(NDJSON_CONTENT_TYPE),
    status: 200,
    invalidates: null,
    async run({ orgId, writer, clock }, { body }) {
      const person = await resolvePerson(writer, orgId, body);
      const subject = computePersonAuditId(person);
      const name = `${subject}-${new Date(clock.now()).toISOString().slice(0, 10)}.ndjson`;
      // Reads after the commit, so that a long download holds no write transaction.
      const chunks = new PersonExport(dependencies, person, clock).generateLines();
      return {
        answer: new FileDownload(NDJSON_CONTENT_TYPE, name, chunks),
        audit: { subject, before: null, after: null },
      };
    },
  });
}
