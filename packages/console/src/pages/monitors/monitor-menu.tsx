import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { Bell, BellOff, Copy, Ellipsis, Pause, Pencil, Play } from 'lucide-react';
import { useState } from 'react';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { getCurrentTime, getServerTime } from '../../data/server-clock.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { buildBeatSnippets } from './beat-snippets.ts';
import { buildMonitorApiPath, replaceCachedMonitors } from './monitor-data.ts';
import { pauseMonitor, resumeMonitor } from './monitor-requests.ts';
import { monitorsText } from './text.ts';

/**
 * Renders the actions menu of a row. To make scrolling fast, only the button is rendered until the menu is
 * opened.
 */
export function MonitorMenu({ monitor }: { readonly monitor: Monitor }) {
  const [isMounted, setMounted] = useState(false);
  const label = monitorsText.actions.moreOf(monitor.name);
  if (!isMounted)
    return (
      <button
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        title={label}
        onClick={() => setMounted(true)}
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
  const { toggle } = useMonitorPauseActions(monitor);
  const curl = buildBeatSnippets(id, buildApiUrl('api/monitoring/heartbeat').href, null)[0]?.code ?? '';
  const fromFile = source.kind === 'file';
  return (
    <>
      <MenuItem icon={Copy} onSelect={() => copyWithToast(curl, monitorsText.actions.curlCopied)}>
        {monitorsText.actions.copyCurl}
      </MenuItem>
      <MenuItem icon={paused ? Play : Pause} disabled={refusal !== null} onSelect={toggle}>
        {paused ? monitorsText.actions.resume : monitorsText.actions.pause}
      </MenuItem>
      <MuteMenuItems monitor={monitor} />
      <MenuItem icon={Pencil} onSelect={() => edit(id)}>
        {fromFile ? monitorsText.actions.viewSettings : monitorsText.actions.edit}
      </MenuItem>
    </>
  );
}

const HOUR_MS = 3_600_000;

/** The durations, in hours, for which the alerts of a monitor can be muted. */
export const MUTE_DURATIONS = [
  { hours: 1, label: monitorsText.actions.muteFor(1) },
  { hours: 8, label: monitorsText.actions.muteFor(8) },
  { hours: 24, label: monitorsText.actions.muteFor(24) },
] as const;

/** Returns the server time `hours` hours from now, in ISO 8601 format. */
export function computeTimestampAfterHours(hours: number): string {
  return new Date(getServerTime().getTime() + hours * HOUR_MS).toISOString();
}

/**
 * Renders the menu items that mute or unmute the alerts of a monitor. If the monitor is still failing when the
 * mute ends, Floe sends the alert then.
 */
export function MuteMenuItems({ monitor: { id, name, muted_until } }: { readonly monitor: Monitor }) {
  const client = useQueryClient();
  const refusal = useDenialReason('monitoring');
  const muted = muted_until !== null && new Date(muted_until) > getCurrentTime();
  const off = refusal !== null;
  const mute = useApiMutation(
    (until: string | null) => sendJson<Monitor>('PATCH', buildMonitorApiPath(id), { muted_until: until }),
    {
      touches: [['monitors', 'one', id]],
      done: (monitor, until) => {
        replaceCachedMonitors(client, [id], [monitor]);
        showToast(until === null ? monitorsText.actions.unmuted(name) : monitorsText.actions.muted(name));
      },
      failed: ({ message }) => showToast(message),
    },
  );
  if (muted)
    return (
      <MenuItem icon={Bell} disabled={off} onSelect={() => mute.run(null)}>
        {monitorsText.actions.unmute}
      </MenuItem>
    );
  return MUTE_DURATIONS.map(({ hours, label }) => (
    <MenuItem
      key={hours}
      icon={BellOff}
      disabled={off}
      onSelect={() => mute.run(computeTimestampAfterHours(hours))}
    >
      {label}
    </MenuItem>
  ));
}

/**
 * Returns functions that pause and resume a monitor, and whether one of these changes is in progress. After a
 * pause, shows a toast with an undo button.
 */
export function useMonitorPauseActions({ id, name, paused }: Pick<Monitor, 'id' | 'name' | 'paused'>) {
  const client = useQueryClient();
  const touches = [
    ['monitors', 'one', id],
    ['monitors', 'status'],
  ];
  const put = (monitor: Monitor) => replaceCachedMonitors(client, [id], [monitor]);
  const failed = ({ message }: Error) => showToast(message);
  const resume = useApiMutation(() => resumeMonitor(id), { touches, done: put, failed });
  const pause = useApiMutation((until: string | null) => pauseMonitor(id, until), {
    touches,
    done: (monitor, until) => {
      put(monitor);
      const message =
        until === null
          ? monitorsText.actions.paused(name)
          : monitorsText.actions.pausedUntil(name, formatFullDateTime(new Date(until), getBrowserTimeZone()));
      showToast(message, () => resume.run(undefined));
    },
    failed,
  });
  return {
    toggle: () => (paused ? resume.run(undefined) : pause.run(null)),
    pauseUntil: pause.run,
    running: pause.running || resume.running,
  };
}
