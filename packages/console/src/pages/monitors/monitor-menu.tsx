import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { Bell, BellOff, Copy, Ellipsis, Pause, Pencil, Play } from 'lucide-react';
import { useState } from 'react';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { apiUrl } from '../../data/base.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { monitorPath, replaceMonitors, requestMonitorPause, requestMonitorResume } from './monitor-data.ts';
import { beatSnippets } from './send-beats.ts';

/**
 * What is done with a monitor most often, from its row. While a list of thousands is scrolled its rows are made and
 * thrown away: until it is asked for, the menu is a plain button.
 */
export function MonitorMenu({ monitor }: { readonly monitor: Monitor }) {
  const [isMade, setMade] = useState(false);
  const label = `More about ${monitor.name}`;
  if (!isMade)
    return (
      <button
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        title={label}
        onClick={() => setMade(true)}
        className="inline-grid size-6 place-items-center rounded-control text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <Ellipsis size={16} strokeWidth={1.75} />
      </button>
    );
  return (
    <Menu isOpen trigger={<IconButton icon={Ellipsis} label={label} className="size-6" />}>
      <MenuItems monitor={monitor} />
    </Menu>
  );
}

function MenuItems({ monitor }: { readonly monitor: Monitor }) {
  const { id, paused, source } = monitor;
  const refusal = useDenialReason('monitoring');
  const edit = useResourceNavigate('/monitors', '/edit');
  const { toggle } = useMonitorPause(monitor);
  const curl = beatSnippets(id, apiUrl('api/monitoring/heartbeat').href, null)[0]?.code ?? '';
  const fromFile = source.kind === 'file';
  return (
    <>
      <MenuItem icon={Copy} onSelect={() => copyWithToast(curl, 'Copied the curl line')}>
        Copy the curl line
      </MenuItem>
      <MenuItem icon={paused ? Play : Pause} disabled={refusal !== null || fromFile} onSelect={toggle}>
        {paused ? 'Resume' : 'Pause'}
      </MenuItem>
      <MuteItems monitor={monitor} />
      <MenuItem icon={Pencil} onSelect={() => edit(id)}>
        {fromFile ? 'Show the settings' : 'Edit'}
      </MenuItem>
    </>
  );
}

const HOUR_MS = 3_600_000;

/** How long nobody is told; states are recorded as ever. */
export const MUTE_DURATIONS = [
  { hours: 1, words: 'Mute for 1 hour' },
  { hours: 8, words: 'Mute for 8 hours' },
  { hours: 24, words: 'Mute for 24 hours' },
] as const;

export function hoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * HOUR_MS).toISOString();
}

/** Nobody is told for a while, or again; what lasts at the end is told then. */
export function MuteItems({ monitor: { id, name, muted_until, source } }: { readonly monitor: Monitor }) {
  const client = useQueryClient();
  const refusal = useDenialReason('monitoring');
  const muted = muted_until !== null && new Date(muted_until) > new Date();
  const off = refusal !== null || source.kind === 'file';
  const mute = useApiMutation(
    (until: string | null) => sendJson<Monitor>('PATCH', monitorPath(id), { muted_until: until }),
    {
      touches: [['monitors', 'one', id]],
      done: (monitor, until) => {
        replaceMonitors(client, [id], [monitor]);
        showToast(
          until === null ? `${name} is not muted any more.` : `${name} is muted. States are still recorded.`,
        );
      },
      failed: ({ message }) => showToast(message),
    },
  );
  if (muted)
    return (
      <MenuItem icon={Bell} disabled={off} onSelect={() => mute.run(null)}>
        Unmute
      </MenuItem>
    );
  return MUTE_DURATIONS.map(({ hours, words }) => (
    <MenuItem key={hours} icon={BellOff} disabled={off} onSelect={() => mute.run(hoursFromNow(hours))}>
      {words}
    </MenuItem>
  ));
}

/** Pauses or resumes; a pause can be taken back in its message. */
export function useMonitorPause({ id, name, paused }: Pick<Monitor, 'id' | 'name' | 'paused'>) {
  const client = useQueryClient();
  const touches = [
    ['monitors', 'one', id],
    ['monitors', 'status'],
  ];
  const put = (monitor: Monitor) => replaceMonitors(client, [id], [monitor]);
  const failed = ({ message }: Error) => showToast(message);
  const resume = useApiMutation(() => requestMonitorResume(id), { touches, done: put, failed });
  const pause = useApiMutation((until: string | null) => requestMonitorPause(id, until), {
    touches,
    done: (monitor, until) => {
      put(monitor);
      const end = until === null ? '' : ` until ${formatFullTime(new Date(until), browserZone())}`;
      showToast(`${name} is paused${end}. Beats are still recorded; they do not un-pause it.`, () =>
        resume.run(undefined),
      );
    },
    failed,
  });
  return {
    toggle: () => (paused ? resume.run(undefined) : pause.run(null)),
    pauseUntil: pause.run,
    running: pause.running || resume.running,
  };
}
