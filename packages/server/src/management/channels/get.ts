import { channel } from '@floe/contract/api/channels';
import { idParams } from '@floe/contract/api/page';
import { channelView } from '../../alerts/channel-view.ts';
import { readVerb } from '../verb.ts';
import { existingChannel } from './find.ts';

export const getChannel = readVerb({
  name: 'channels.get',
  method: 'GET',
  path: '/api/monitoring/channels/{id}',
  scope: 'monitoring',
  summary: 'Read one alert channel, by id or name; its secrets are never shown',
  live: ['failures', 'resting_until'],
  params: idParams,
  answer: channel,
  async run({ orgId, reader }, { params }) {
    return channelView(await existingChannel(reader, orgId, params.id));
  },
});
