import { channel, channelReplacement } from '@floe/contract/api/channels';
import { idParams } from '@floe/contract/api/page';
import { openChannel, SECRET_FIELDS } from '../../alerts/stored-channel.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import { channelById } from '../../store/channels.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { draftOf } from './draft.ts';
import { mustBeOwn } from './find.ts';
import { addChannel, replaceChannel } from './write.ts';

/** Takes what `GET` returned. Settings that are absent return to their default; secrets that are absent stay. */
export function putChannel(secretsKey: SecretsKey): Verb {
  return writeVerb({
    name: 'channels.replace',
    method: 'PUT',
    path: '/api/monitoring/channels/{id}',
    scope: 'monitoring',
    summary: 'Create or replace an alert channel by its id or name',
    params: idParams,
    body: channelReplacement,
    answer: channel,
    status: 200,
    changes: null,
    async run(context, { params, body }) {
      const row = await channelById(context.writer, context.orgId, params.id);
      const enabled = body.enabled ?? true;
      if (!row) {
        const config = draftOf({ ...body, name: body.name ?? params.id }, null);
        return addChannel(context, { config, enabled }, secretsKey);
      }
      mustBeOwn(row);
      const current = openChannel(row, secretsKey, context.clock.now()).config;
      const known: Readonly<Record<string, unknown>> = body.kind === row.kind ? current : {};
      const secrets = Object.fromEntries(
        SECRET_FIELDS.flatMap((field) => (Object.hasOwn(known, field) ? [[field, known[field]]] : [])),
      );
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      // First as a change, for the rule about credentials and addresses; then alone, so that the rest is default.
      if (body.kind === row.kind) draftOf(body, current);
      const config = draftOf({ ...secrets, name: row.name, ...given }, null);
      return replaceChannel(context, row, { config, enabled }, secretsKey);
    },
  });
}
