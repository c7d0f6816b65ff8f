import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, KeyRound, Lock, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { pluralize } from '../../format/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { MONITOR_RESOURCE, monitorPath, replaceMonitors, sendTestBeat } from './monitor-data.ts';
import { hoursFromNow, MuteItems, useMonitorPause } from './monitor-menu.tsx';

/** What can be done with a monitor: at the head of its page. */
export function MonitorActions({ monitor }: { readonly monitor: Monitor }) {
  const { id, paused, source, beat_url } = monitor;
  const go = useResourceNavigate('/monitors', '/edit');
  const fromFile = source.kind === 'file';
  const { toggle, running } = useMonitorPause(monitor);
  const beat = useApiMutation(() => sendTestBeat(monitor), {
    touches: [['monitors', 'one', id]],
    done: () => showToast('The test beat was recorded.'),
    failed: ({ message }) => showToast(message),
  });
  const edit = () => go(id);
  useShortcuts([{ keys: 'e', does: 'Edit this monitor', run: edit }]);
  return (
    <>
      <Button
        icon={Send}
        needs="monitoring"
        busy={beat.running}
        disabled={beat_url === null}
        onClick={() => beat.run(undefined)}
      >
        <span className="max-sm:hidden">Send a test beat</span>
        <span className="sm:hidden">Test beat</span>
      </Button>
      <Button
        icon={paused ? Play : Pause}
        needs="monitoring"
        busy={running}
        disabled={fromFile}
        title={fromFile ? 'Comes from the file; pause it there.' : undefined}
        onClick={toggle}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Button icon={fromFile ? Lock : Pencil} onClick={edit}>
        {fromFile ? 'Settings' : 'Edit'}
      </Button>
      <MoreMenu monitor={monitor} />
    </>
  );
}

type OpenDialog = 'rotate' | 'delete' | null;

function MoreMenu({ monitor }: { readonly monitor: Monitor }) {
  const { id, name, source } = monitor;
  const [asked, setAsked] = useState<OpenDialog>(null);
  const refusal = useDenialReason('monitoring');
  const { pauseUntil } = useMonitorPause(monitor);
  const close = () => setAsked(null);
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label="More" />}>
        {!monitor.paused &&
          [1, 24].map((hours) => (
            <MenuItem
              key={hours}
              icon={Pause}
              disabled={refusal !== null || source.kind === 'file'}
              onSelect={() => pauseUntil(hoursFromNow(hours))}
            >
              Pause for {pluralize(hours, 'hour')}
            </MenuItem>
          ))}
        <MuteItems monitor={monitor} />
        <MenuItem icon={KeyRound} disabled={refusal !== null} onSelect={() => setAsked('rotate')}>
          Change the beat URL…
        </MenuItem>
        <MenuItem
          icon={Trash2}
          danger
          disabled={refusal !== null || source.kind === 'file'}
          onSelect={() => setAsked('delete')}
        >
          Delete…
        </MenuItem>
      </Menu>
      {asked === 'rotate' && (
        <ConfirmChange
          make={() => sendJson<Monitor>('POST', monitorPath(id, '/rotate'))}
          touches={[['monitors', 'one', id]]}
          onDone={() => {
            close();
            showToast('The beat URL is another one now.');
          }}
          onClose={close}
          title={`Change the beat URL of ${name}`}
          verb="Change the URL"
        >
          Jobs that call the old URL are refused at once. Beats with a key are not touched.
        </ConfirmChange>
      )}
      {asked === 'delete' && <DeleteMonitor monitor={monitor} onClose={close} />}
    </>
  );
}

function DeleteMonitor({ monitor, onClose }: { readonly monitor: Monitor; readonly onClose: () => void }) {
  const { id, name } = monitor;
  const go = useResourceNavigate('/monitors');
  const client = useQueryClient();
  const { title, effect, typed } = MONITOR_RESOURCE.removal(monitor);
  const gone = () => {
    replaceMonitors(client, [id], []);
    showToast(`${name} was deleted.`);
    go();
  };
  return (
    <ConfirmChange
      make={() => sendJson<null>('DELETE', monitorPath(id))}
      touches={[['monitors', 'status']]}
      onDone={gone}
      onClose={onClose}
      title={title}
      verb="Delete monitor"
      typed={typed}
    >
      {effect}
    </ConfirmChange>
  );
}
