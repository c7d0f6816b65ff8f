import type { Monitor } from '@floe/contract/api/monitors';
import { sendJson } from '../../data/api-client.ts';
import { apiUrl } from '../../data/base-url.ts';
import { monitorPath } from './monitor-data.ts';
import { monitorsText } from './text.ts';

/** Sends a beat to the monitor’s secret URL, like the job would, but marked as a test. */
export async function sendTestBeat({ beat_url }: Pick<Monitor, 'beat_url'>): Promise<void> {
  const token = beat_url?.split('/beat/').at(-1);
  const answer = await fetch(apiUrl(`beat/${token ?? ''}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ test: true }),
  });
  if (!answer.ok) throw new Error(monitorsText.actions.testBeatFailed(answer.status));
}

export const requestMonitorPause = (id: string, until: string | null = null) =>
  sendJson<Monitor>('POST', monitorPath(id, '/pause'), { until });
export const requestMonitorResume = (id: string) => sendJson<Monitor>('POST', monitorPath(id, '/resume'));
