import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Lock, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useOrgId } from '../../app/url-state.ts';
import { send } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useRefusal } from '../../data/use-refusal.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { tell } from '../../ui/toast.tsx';
import { monitorPath, putRows, sendTestBeat } from './monitor-data.ts';
import { hoursFromNow, MuteItems, usePausing } from './monitor-menu.tsx';

/** What can be done with a monitor: at the head of its page. */
export function MonitorActions({ monitor }: { readonly monitor: Monitor }) {
  const { id, paused, source, beat_url } = monitor;
  const navigate = useNavigate();
  const org = useOrgId();
  const fromFile = source.kind === 'file';
  const { toggle, running } = usePausing(monitor);
  const beat = useChange(() => sendTestBeat(monitor), {
    touches: [['monitors', 'one', id]],
    done: () => tell('The test beat was recorded.'),
  });
  const edit = () => void navigate({ to: `/o/${org}/monitors/${encodeURIComponent(id)}/edit` });
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

type Asked = 'rotate' | 'delete' | null;

function MoreMenu({ monitor }: { readonly monitor: Monitor }) {
  const { id, name, source } = monitor;
  const [asked, setAsked] = useState<Asked>(null);
  const refusal = useRefusal('monitoring');
  const { pauseUntil } = usePausing(monitor);
  const close = () => setAsked(null);
  const rotate = useChange(() => send<Monitor>('POST', monitorPath(id, '/rotate')), {
    touches: [['monitors', 'one', id]],
    done: () => {
      close();
      tell('The beat URL is another one now.');
    },
  });
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
              Pause for {hours} {hours === 1 ? 'hour' : 'hours'}
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
      <ConfirmDialog
        open={asked === 'rotate'}
        onClose={close}
        onConfirm={() => rotate.run(undefined)}
        title={`Change the beat URL of ${name}`}
        verb="Change the URL"
        running={rotate.running}
        error={rotate.error}
      >
        Jobs that call the old URL are refused at once. Beats with a key are not touched.
      </ConfirmDialog>
      <DeleteMonitor monitor={monitor} open={asked === 'delete'} onClose={close} />
    </>
  );
}

function DeleteMonitor({
  monitor: { id, name },
  open,
  onClose,
}: {
  readonly monitor: Monitor;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const org = useOrgId();
  const client = useQueryClient();
  const remove = useChange(() => send<null>('DELETE', monitorPath(id)), {
    done: () => {
      putRows(client, [id], []);
      void client.invalidateQueries({ queryKey: ['monitors', 'standing'] });
      tell(`${name} was deleted.`);
      void navigate({ to: `/o/${org}/monitors` });
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={() => remove.run(undefined)}
      title={`Delete ${name}`}
      verb="Delete monitor"
      typed={id}
      running={remove.running}
      error={remove.error}
    >
      Its checks, its timeline and its uptime are lost, on boards too. Beats for it are refused from then on.
    </ConfirmDialog>
  );
}
