import { configChanges, configDocument } from '@floe/contract/api/config';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import type { ConfigHost } from './config-host.ts';
import { documentOf } from './document-of.ts';
import { leftOver } from './document-steps.ts';
import { exportOrg } from './exported-document.ts';
import { fileChanges } from './file-diff.ts';
import { performSteps, shownChange } from './perform-steps.ts';

/** Nothing of a rehearsal stays, so nobody has to say why. */
const ONLY_LOOKED_AT = 'Looked at what applying it would change';

/** Performed, shown, and taken back. */
export function diffConfig(host: ConfigHost): Verb {
  return readVerb({
    name: 'config.diff',
    method: 'POST',
    path: '/api/management/config/diff',
    scope: 'management',
    summary: 'Tell what applying a floe.yaml to the org would create, change and remove',
    body: configDocument,
    answer: configChanges,
    async run({ reader, ...context }, { body }) {
      const { orgId, clock } = context;
      const document = await documentOf(body, orgId, host.trials);
      const nowMs = clock.now();
      const { tree } = await exportOrg({ reader, orgId, host, nowMs });
      const running = await documentOf({ config: tree, variables: {} }, orgId, host.trials);
      for (const prepare of preparations(host)) await prepare();
      return host.rehearse(async (writer) => {
        const asked = { prune: body.prune, reason: body.reason ?? ONLY_LOOKED_AT };
        const { answer, inFile, steps } = await performSteps(document, asked, host, {
          ...context,
          reader: writer,
          writer,
        });
        const reading = { reader: writer, orgId, host, nowMs };
        const gone = body.prune ? await leftOver('file', document, steps, reading) : [];
        const ofFile = fileChanges({ orgId, running: running.org, wanted: document.org }, inFile, gone);
        return {
          changes: [...answer.changes, ...ofFile.map((one) => ({ ...shownChange(one, one), in_file: true }))],
          unchanged: answer.unchanged + inFile.length + gone.length - ofFile.length,
          ignored: answer.ignored,
        };
      });
    },
  });
}

export function applyConfig(host: ConfigHost): Verb {
  return writeVerb({
    name: 'config.apply',
    method: 'POST',
    path: '/api/management/config/apply',
    scope: 'management',
    summary: 'Apply a floe.yaml to the org, all of it or nothing; `prune` also removes what it does not name',
    body: configDocument,
    answer: configChanges,
    status: 200,
    changes: 'config',
    before: async () => {
      for (const prepare of preparations(host)) await prepare();
    },
    plan: ({ orgId }, { body }) => documentOf(body, orgId, host.trials),
    async run(context, { body }, document) {
      const { answer, further, inFile } = await performSteps(document, body, host, context);
      answer.ignored.push(...inFile.map(({ why }) => why));
      if (answer.changes.length === 0) return { answer, audit: 'unchanged' };
      const after = {
        changes: answer.changes.map(({ kind, id, action }) => `${action} ${kind}/${id}`),
        prune: body.prune,
      };
      const { reason } = body;
      return { answer, audit: { subject: context.orgId, before: null, after, reason }, further };
    },
  });
}

/** What the verbs of the resources wait for before their transactions. */
function preparations(host: ConfigHost) {
  const monitors = host.verbs().find(({ name }) => name === 'monitors.replace');
  return monitors?.prepare ? [monitors.prepare] : [];
}
