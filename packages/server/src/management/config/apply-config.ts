import { configChangeList, configDocumentInput } from '@floe/contract/api/config';
import { defineReadOperation, defineWriteOperation, type Operation } from '../operation.ts';
import { applyConfigDocument, toConfigChange } from './apply-config-document.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import type { ConfigDocument } from './config-document.ts';
import { diffConfigFileResources } from './config-file-diff.ts';
import { listUndeclaredResources } from './config-steps.ts';
import { findUnchangedResources, loadRunningDocument } from './find-unchanged-resources.ts';
import { parseConfigDocumentInWorker } from './parse-config-document-in-worker.ts';

/** A preview is rolled back, so the caller does not have to give a reason. */
const DIFF_REASON = 'Previewed the changes of a configuration document';

/**
 * Defines the operation that previews the changes that a document would make. It applies the document in a
 * transaction, reports the changes and rolls them back.
 */
export function defineDiffConfigOperation(dependencies: ConfigDependencies): Operation {
  return defineReadOperation({
    name: 'config.diff',
    method: 'POST',
    path: '/api/management/config/diff',
    scope: 'management',
    summary: 'Preview what applying a floe.yaml to the organization would create, change and remove',
    body: configDocumentInput,
    answer: configChangeList,
    async run({ reader, ...context }, { body }) {
      const { orgId, clock } = context;
      const document = await parseConfigDocumentInWorker(body, orgId, dependencies.evaluationPool);
      const nowMs = clock.now();
      const read = { reader, orgId, dependencies, nowMs };
      let loading: Promise<ConfigDocument> | undefined;
      const loadRunning = () => (loading ??= loadRunningDocument(read));
      const unchangedBefore = await findUnchangedResources(document, read, loadRunning);
      const running = await loadRunning();
      for (const prepare of listPreparations(dependencies)) await prepare();
      return dependencies.dryRun(async (writer) => {
        const options = { prune: body.prune, reason: body.reason ?? DIFF_REASON };
        const { answer, fileManaged, steps } = await applyConfigDocument(
          { document, unchangedBefore },
          options,
          dependencies,
          {
            ...context,
            reader: writer,
            writer,
          },
        );
        const reading = { reader: writer, orgId, dependencies, nowMs };
        const undeclared = body.prune ? await listUndeclaredResources('file', document, steps, reading) : [];
        const fileChanges = diffConfigFileResources(
          { orgId, running: running.org, requested: document.org },
          fileManaged,
          undeclared,
        );
        return {
          changes: [
            ...answer.changes,
            ...fileChanges.map((one) => ({ ...toConfigChange(one, one), in_file: true })),
          ],
          unchanged: answer.unchanged + fileManaged.length + undeclared.length - fileChanges.length,
          ignored: answer.ignored,
        };
      });
    },
  });
}

/**
 * Defines the operation that applies a document in floe.yaml format (`POST
 * /api/management/config/apply`).
 */
export function defineApplyConfigOperation(dependencies: ConfigDependencies): Operation {
  return defineWriteOperation({
    name: 'config.apply',
    method: 'POST',
    path: '/api/management/config/apply',
    scope: 'management',
    summary:
      'Apply a floe.yaml to the organization atomically; `prune` also removes resources, except platform keys, that are missing from a section of the file',
    body: configDocumentInput,
    answer: configChangeList,
    status: 200,
    invalidates: 'config',
    beforeTransaction: async () => {
      for (const prepare of listPreparations(dependencies)) await prepare();
    },
    async plan({ reader, orgId, clock }, { body }) {
      const document = await parseConfigDocumentInWorker(body, orgId, dependencies.evaluationPool);
      const reading = { reader, orgId, dependencies, nowMs: clock.now() };
      return { document, unchangedBefore: await findUnchangedResources(document, reading) };
    },
    async run(context, { body }, plan) {
      const { answer, additionalChanges, fileManaged } = await applyConfigDocument(
        plan,
        body,
        dependencies,
        context,
      );
      answer.ignored.push(...fileManaged.map(({ why }) => why));
      if (answer.changes.length === 0) return { answer, audit: 'unchanged' };
      const after = {
        changes: answer.changes.map(({ kind, id, action }) => `${action} ${kind}/${id}`),
        prune: body.prune,
      };
      const { reason } = body;
      return {
        answer,
        audit: { subject: context.orgId, before: null, after, reason },
        additionalChanges,
      };
    },
  });
}

/** Preparations that the operations await before their transactions. */
function listPreparations(dependencies: ConfigDependencies) {
  const monitors = dependencies.listOperations().find(({ name }) => name === 'monitors.replace');
  return monitors?.prepare ? [monitors.prepare] : [];
}
