import type { Monitor } from '@floe/contract/api/monitors';
import { sendJson } from '../../data/api-client.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { buildMonitorApiPath } from './monitor-data.ts';
import { monitorsText } from './text.ts';

/** Sends a beat to the monitor’s secret URL, as the job would. The beat is marked as a test. */
export async function sendTestBeat({ beat_url }: Pick<Monitor, 'beat_url'>): Promise<void> {
  const token = beat_url?.split('/beat/').at(-1);
  const answer = await fetch(buildApiUrl(`beat/${token ?? ''}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ test: true }),
  });
  if (!answer.ok) throw new Error(monitorsText.actions.testBeatFailed(answer.status));
}

/** Pauses a monitor until the given time. If `until` is null, the monitor is paused until it is resumed. */
export const pauseMonitor = (id: string, until: string | null = null) =>
  sendJson<Monitor>('POST', buildMonitorApiPath(id, '/pause'), { until });
/** Resumes a paused monitor. */
export const resumeMonitor = (id: string) => sendJson<Monitor>('POST', buildMonitorApiPath(id, '/resume'));
