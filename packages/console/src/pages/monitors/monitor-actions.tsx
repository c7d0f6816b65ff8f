import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, KeyRound, Lock, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { deleteResource } from '../../data/delete-resource.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { buildMonitorApiPath, MONITOR_RESOURCE_KIND, replaceCachedMonitors } from './monitor-data.ts';
import { computeTimestampAfterHours, MuteMenuItems, useMonitorPauseActions } from './monitor-menu.tsx';
import { sendTestBeat } from './monitor-requests.ts';
import { monitorsText } from './text.ts';

/** Renders the actions in the header of the monitor page. */
export function MonitorActions({ monitor }: { readonly monitor: Monitor }) {
  const { id, paused, source } = monitor;
  const go = useResourceNavigate('/monitors', '/edit');
  const isReadOnly = useDenialReason('monitoring') !== null || source.kind === 'file';
  const { toggle, running } = useMonitorPauseActions(monitor);
  const edit = () => go(id);
  const editLabel = isReadOnly ? monitorsText.actions.viewSettings : monitorsText.actions.edit;
  useShortcuts([{ keys: 'e', does: editLabel, run: edit }]);
  return (
    <>
      <TestBeatButton monitor={monitor} />
      <Button icon={paused ? Play : Pause} needs="monitoring" busy={running} onClick={toggle}>
        {paused ? monitorsText.actions.resume : monitorsText.actions.pause}
      </Button>
      <Button icon={isReadOnly ? Lock : Pencil} onClick={edit}>
        {editLabel}
      </Button>
      <MoreMenu monitor={monitor} />
    </>
  );
}

function TestBeatButton({ monitor }: { readonly monitor: Monitor }) {
  const { id, name, status, beat_url } = monitor;
  const [isAsking, setAsking] = useState(false);
  const beat = useApiMutation(() => sendTestBeat(monitor), {
    touches: [['monitors', 'one', id]],
    done: () => showToast(monitorsText.actions.testBeatSent),
    failed: ({ message }) => showToast(message),
  });
  const send = () => {
    setAsking(false);
    beat.run(undefined);
  };
  return (
    <>
      <Button
        icon={Send}
        needs="monitoring"
        hint={monitorsText.actions.testBeatHint}
        busy={beat.running}
        disabled={beat_url === null}
        onClick={() => (status === 'failing' ? setAsking(true) : send())}
      >
        <span className="max-sm:hidden">{monitorsText.actions.sendTestBeat}</span>
        <span className="sm:hidden">{monitorsText.actions.sendTestBeatShort}</span>
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={send}
        title={monitorsText.actions.testBeatTitle(name)}
        verb={monitorsText.actions.sendTestBeat}
      >
        {monitorsText.actions.testBeatEffect}
      </ConfirmDialog>
    </>
  );
}

type OpenDialog = 'rotate' | 'delete' | null;

function MoreMenu({ monitor }: { readonly monitor: Monitor }) {
  const { id, name, source } = monitor;
  const [asked, setAsked] = useState<OpenDialog>(null);
  const refusal = useDenialReason('monitoring');
  const { pauseUntil } = useMonitorPauseActions(monitor);
  const close = () => setAsked(null);
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={monitorsText.actions.more} />}>
        {!monitor.paused &&
          [1, 24].map((hours) => (
            <MenuItem
              key={hours}
              icon={Pause}
              disabled={refusal !== null}
              onSelect={() => pauseUntil(computeTimestampAfterHours(hours))}
            >
              {monitorsText.actions.pauseFor(hours)}
            </MenuItem>
          ))}
        <MuteMenuItems monitor={monitor} />
        <MenuItem icon={KeyRound} disabled={refusal !== null} onSelect={() => setAsked('rotate')}>
          {monitorsText.actions.replaceUrl}
        </MenuItem>
        <MenuItem
          icon={Trash2}
          danger
          disabled={refusal !== null || source.kind === 'file'}
          onSelect={() => setAsked('delete')}
        >
          {monitorsText.actions.delete}
        </MenuItem>
      </Menu>
      {asked === 'rotate' && (
        <ConfirmChangeDialog
          sendChange={() => sendJson<Monitor>('POST', buildMonitorApiPath(id, '/rotate'))}
          touches={[['monitors', 'one', id]]}
          onDone={() => {
            close();
            showToast(monitorsText.actions.urlReplaced);
          }}
          onClose={close}
          title={monitorsText.actions.replaceUrlTitle(name)}
          verb={monitorsText.actions.replaceUrlButton}
        >
          {monitorsText.actions.replaceUrlEffect}
        </ConfirmChangeDialog>
      )}
      {asked === 'delete' && <DeleteMonitor monitor={monitor} onClose={close} />}
    </>
  );
}

function DeleteMonitor({ monitor, onClose }: { readonly monitor: Monitor; readonly onClose: () => void }) {
  const { id, name } = monitor;
  const go = useResourceNavigate('/monitors');
  const client = useQueryClient();
  const { title, effect, typed } = MONITOR_RESOURCE_KIND.removal(monitor);
  const gone = () => {
    replaceCachedMonitors(client, [id], []);
    showToast(monitorsText.actions.deleted(name));
    go();
  };
  return (
    <ConfirmChangeDialog
      sendChange={() => deleteResource(buildMonitorApiPath(id))}
      touches={[['monitors', 'status']]}
      onDone={gone}
      onClose={onClose}
      title={title}
      verb={monitorsText.actions.deleteButton}
      typed={typed}
    >
      {effect}
    </ConfirmChangeDialog>
  );
}
