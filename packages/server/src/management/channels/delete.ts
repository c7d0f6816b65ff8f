import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { channelView } from '../../alerts/channel-view.ts';
import { deleteChannel as deleteStored } from '../../store/channels.ts';
import { abandonDeliveries } from '../../store/deliveries.ts';
import { writeVerb } from '../verb.ts';
import { changeableChannel } from './find.ts';

export const deleteChannel = writeVerb({
  name: 'channels.delete',
  method: 'DELETE',
  path: '/api/monitoring/channels/{id}',
  scope: 'monitoring',
  summary: 'Remove an alert channel; what it was sent stays in the log',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, writer, clock }, { params }) {
    const row = await changeableChannel(writer, orgId, params.id);
    await abandonDeliveries(writer, row, 'the channel was removed', clock.now());
    await deleteStored(writer, row.id);
    return { answer: null, audit: { subject: row.id, before: channelView(row), after: null } };
  },
});
