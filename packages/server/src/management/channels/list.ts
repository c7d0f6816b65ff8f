import { channel } from '@floe/contract/api/channels';
import { page, pageQuery } from '@floe/contract/api/page';
import { channelView } from '../../alerts/channel-view.ts';
import { channelPage } from '../../store/channels.ts';
import { readVerb } from '../verb.ts';

export const listChannels = readVerb({
  name: 'channels.list',
  method: 'GET',
  path: '/api/monitoring/channels',
  scope: 'monitoring',
  summary: 'List alert channels, newest first',
  query: pageQuery,
  answer: page(channel),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await channelPage(reader, { orgId, ...query });
    return { data: rows.map(channelView), next_cursor: nextCursor };
  },
});
