import type { Monitor } from '@floe/contract/api/monitors';
import { useNavigate } from '@tanstack/react-router';
import { Copy, Ellipsis, Pause, Pencil, Play } from 'lucide-react';
import { useOrgId } from '../../app/url-state.ts';
import { apiUrl } from '../../data/base.ts';
import { useChange } from '../../data/change.ts';
import { useRefusal } from '../../data/use-refusal.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { tell } from '../../ui/toast.tsx';
import { pauseMonitor, resumeMonitor } from './monitor-data.ts';
import { beatSnippets } from './send-beats.ts';

/** What is done with a monitor most often, from its row. */
export function MonitorMenu({ monitor }: { readonly monitor: Monitor }) {
  const { id, name, paused, source } = monitor;
  const refusal = useRefusal('monitoring');
  const navigate = useNavigate();
  const org = useOrgId();
  const { toggle } = usePausing(monitor);
  const curl = beatSnippets(id, apiUrl('api/monitoring/heartbeat').href, null)[0]?.code ?? '';
  const fromFile = source.kind === 'file';
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={`More about ${name}`} className="size-6" />}>
      <MenuItem icon={Copy} onSelect={() => void copyText(curl).then(() => tell('Copied the curl line'))}>
        Copy the curl line
      </MenuItem>
      <MenuItem icon={paused ? Play : Pause} disabled={refusal !== null || fromFile} onSelect={toggle}>
        {paused ? 'Resume' : 'Pause'}
      </MenuItem>
      <MenuItem
        icon={Pencil}
        onSelect={() => void navigate({ to: `/o/${org}/monitors/${encodeURIComponent(id)}/edit` })}
      >
        {fromFile ? 'Show the settings' : 'Edit'}
      </MenuItem>
    </Menu>
  );
}

/** Pauses or resumes; a pause can be taken back in its message. */
export function usePausing({ id, name, paused }: Pick<Monitor, 'id' | 'name' | 'paused'>) {
  const touches = [['monitors']];
  const resume = useChange(() => resumeMonitor(id), { touches });
  const pause = useChange(() => pauseMonitor(id), {
    touches,
    done: () =>
      tell(`${name} is paused. Beats are still recorded; they do not un-pause it.`, () =>
        resume.run(undefined),
      ),
  });
  return {
    toggle: () => (paused ? resume : pause).run(undefined),
    running: pause.running || resume.running,
    error: pause.error ?? resume.error,
  };
}
