import type { BulkMonitorResult, Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { Bell, BellOff, Pause, Play, Tag, Wrench } from 'lucide-react';
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { useApiMutation } from '../../data/api-mutation.ts';
import { formatCount } from '../../format/amounts.ts';
import { parseList, pluralize } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type BulkMonitorChange, refreshMonitors, updateMonitors } from './monitor-data.ts';
import { hoursFromNow, MUTE_DURATIONS } from './monitor-menu.tsx';
import { rowRange } from './monitor-rows.ts';

export interface MonitorSelection {
  readonly ids: ReadonlySet<string>;
  /** @param range also everything between the row chosen last and this one */
  readonly toggle: (id: string, range: boolean) => void;
  readonly all: () => void;
  readonly clear: () => void;
  /** `x` chooses the row with the focus, with Shift the range up to it. */
  readonly press: (event: KeyboardEvent) => void;
}

/** The rows a change is for. */
export function useMonitorSelection(rows: readonly Monitor[]): MonitorSelection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const toggle = useCallback(
    (id: string, range: boolean) => {
      setIds((before) => {
        const next = new Set(before);
        if (range) for (const one of rowRange(rows, last, id)) next.add(one);
        else if (!next.delete(id)) next.add(id);
        return next;
      });
      setLast(id);
    },
    [rows, last],
  );
  return useMemo(
    () => ({
      ids,
      toggle,
      all: () => setIds(new Set(rows.map(({ id }) => id))),
      clear: () => setIds(new Set()),
      press(event) {
        const row = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined;
        if (row === undefined || event.key.toLowerCase() !== 'x' || event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        toggle(row, event.shiftKey);
      },
    }),
    [ids, toggle, rows],
  );
}

/** How many rows are chosen, and what is done with all of them. */
export function MonitorSelectionBar({
  selection: { ids, all, clear },
  rows,
}: {
  readonly selection: MonitorSelection;
  readonly rows: readonly Monitor[];
}) {
  const [tagging, setTagging] = useState(false);
  const { change, refused, dismiss } = useBulkChange([...ids], clear);
  const needs = 'monitoring';
  if (ids.size === 0 && refused.length === 0) return null;
  return (
    <div className="grid gap-2">
      <section
        aria-label="Selected monitors"
        className="flex min-h-control flex-wrap items-center gap-2 rounded-control bg-selected px-3 py-1 text-ui"
      >
        <span role="status" className="font-medium figures">
          {formatCount(ids.size)} selected
        </span>
        {ids.size < rows.length && (
          <Button look="quiet" onClick={all}>
            Select the {formatCount(rows.length)} loaded
          </Button>
        )}
        <Button icon={Pause} needs={needs} busy={change.running} onClick={() => change.run({ paused: true })}>
          Pause
        </Button>
        <Button icon={Play} needs={needs} busy={change.running} onClick={() => change.run({ paused: false })}>
          Resume
        </Button>
        <MuteMenu onMute={(muted_until) => change.run({ muted_until })} />
        <Button icon={Tag} needs={needs} onClick={() => setTagging(true)}>
          Tags…
        </Button>
        <PlanLink ids={ids} />
        <Button look="quiet" onClick={clear}>
          Clear
        </Button>
      </section>
      {change.error && <Notice state="failing">{change.error.message}</Notice>}
      <FailedMonitors refused={refused} onDismiss={dismiss} />
      {tagging && (
        <TagsDialog
          some={ids.size}
          running={change.running}
          onClose={() => setTagging(false)}
          onChange={(tags) => {
            setTagging(false);
            change.run(tags);
          }}
        />
      )}
    </div>
  );
}

function PlanLink({ ids }: { readonly ids: ReadonlySet<string> }) {
  return (
    <OrgLink
      to="/maintenance"
      search={{ plan: [...ids].join() }}
      className="inline-flex h-control items-center gap-1.5 px-2 hover:underline"
    >
      <Wrench size={16} strokeWidth={1.75} aria-hidden="true" /> Plan maintenance
    </OrgLink>
  );
}

function MuteMenu({ onMute }: { readonly onMute: (until: string | null) => void }) {
  return (
    <Menu
      align="start"
      trigger={
        <Button icon={BellOff} needs="monitoring">
          Mute…
        </Button>
      }
    >
      {MUTE_DURATIONS.map(({ hours, words }) => (
        <MenuItem key={hours} icon={BellOff} onSelect={() => onMute(hoursFromNow(hours))}>
          {words}
        </MenuItem>
      ))}
      <MenuItem icon={Bell} onSelect={() => onMute(null)}>
        Unmute
      </MenuItem>
    </Menu>
  );
}

/** Changes what is selected, shows it where it stands, and offers to take a pause back. */
function useBulkChange(ids: readonly string[], clear: () => void) {
  const client = useQueryClient();
  const [refused, setRefused] = useState<BulkMonitorResult['failed']>([]);
  const show = async (changed: readonly string[]) => {
    for (let at = 0; at < changed.length; at += 100)
      await refreshMonitors(client, changed.slice(at, at + 100));
    await client.invalidateQueries({ queryKey: ['monitors', 'status'] });
  };
  const change = useApiMutation((asked: BulkMonitorChange) => updateMonitors(ids, asked), {
    done: (answer, asked) => {
      const { changed } = answer;
      void show(changed).catch(() => undefined);
      setRefused(answer.failed);
      clear();
      const undo = () =>
        void updateMonitors(changed, { paused: false })
          .then(() => show(changed))
          .catch((error: unknown) =>
            showToast(error instanceof Error ? error.message : 'Could not resume them.'),
          );
      if (changed.length > 0)
        showToast(doneWords(changed.length, asked), asked.paused === true ? undo : undefined);
    },
  });
  return { change, refused, dismiss: () => setRefused([]) };
}

function doneWords(changed: number, { paused, muted_until: muted }: BulkMonitorChange): string {
  const who = pluralize(changed, 'monitor is', 'monitors are');
  if (paused === true) return `${who} paused. Beats are still recorded; they do not un-pause them.`;
  if (paused === false) return `${who} watched again.`;
  if (muted === null) return `${who} not muted any more.`;
  if (muted !== undefined) return `${who} muted. States are still recorded.`;
  return `${who} tagged anew.`;
}

/** What could not be changed, and why: those of the file, or gone meanwhile. */
function FailedMonitors({
  refused,
  onDismiss,
}: {
  readonly refused: BulkMonitorResult['failed'];
  readonly onDismiss: () => void;
}) {
  if (refused.length === 0) return null;
  const rest = refused.length - 3;
  return (
    <div role="alert">
      <Notice>
        {pluralize(refused.length, 'monitor was', 'monitors were')} not changed.{' '}
        {refused
          .slice(0, 3)
          .map(({ message }) => message)
          .join(' ')}
        {rest > 0 && ` And ${formatCount(rest)} more.`}{' '}
        <button type="button" className="underline" onClick={onDismiss}>
          Dismiss
        </button>
      </Notice>
    </div>
  );
}

function TagsDialog({
  some,
  running,
  onClose,
  onChange,
}: {
  readonly some: number;
  readonly running: boolean;
  readonly onClose: () => void;
  readonly onChange: (tags: BulkMonitorChange) => void;
}) {
  const [added, setAdded] = useState('');
  const [removed, setRemoved] = useState('');
  const [add, remove] = [parseList(added), parseList(removed)];
  return (
    <Dialog open onClose={onClose} title={`Tags of ${pluralize(some, 'monitor')}`}>
      <Form
        onSubmit={() => {
          if (add.length + remove.length > 0) onChange({ add_tags: add, remove_tags: remove });
        }}
        error={null}
        running={running}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" needs="monitoring">
              Change tags
            </Button>
          </>
        }
      >
        <Field label="Add" hint="With commas between them.">
          <Input value={added} placeholder="db, critical" onChange={({ target }) => setAdded(target.value)} />
        </Field>
        <Field label="Take away">
          <Input value={removed} onChange={({ target }) => setRemoved(target.value)} />
        </Field>
      </Form>
    </Dialog>
  );
}
