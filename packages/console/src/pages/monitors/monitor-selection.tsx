import type { BulkMonitorResult, Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { Bell, BellOff, Pause, Play, Tag, Wrench } from 'lucide-react';
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { type ApiMutation, useApiMutation } from '../../data/api-mutation.ts';
import { parseListInput } from '../../format/list-input.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type BulkMonitorChange, refreshMonitors, updateMonitors } from './monitor-data.ts';
import { computeTimestampAfterHours, MUTE_DURATIONS } from './monitor-menu.tsx';
import { listRowIdsBetween } from './monitor-rows.ts';
import { monitorsText } from './text.ts';

/** The selected monitors and the functions that change the selection. */
export interface MonitorSelection {
  readonly ids: ReadonlySet<string>;
  /** @param range Whether to also select all rows between the last selected row and this one. */
  readonly toggle: (id: string, range: boolean) => void;
  readonly all: () => void;
  readonly clear: () => void;
  /** Handles keys: `x` selects the focused row, and Shift+X selects the range up to it. */
  readonly press: (event: KeyboardEvent) => void;
}

/** Manages the selected rows of the list. */
export function useMonitorSelection(rows: readonly Monitor[]): MonitorSelection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const toggle = useCallback(
    (id: string, range: boolean) => {
      setIds((before) => {
        const next = new Set(before);
        if (range) for (const one of listRowIdsBetween(rows, last, id)) next.add(one);
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

/** Shows the number of selected monitors and the actions for them. */
export function MonitorSelectionBar({
  selection: { ids, all, clear },
  rows,
}: {
  readonly selection: MonitorSelection;
  readonly rows: readonly Monitor[];
}) {
  const [tagging, setTagging] = useState(false);
  const { change, refused, dismiss } = useBulkChange([...ids], () => {
    clear();
    setTagging(false);
  });
  const needs = 'monitoring';
  const openTags = (open: boolean) => {
    change.reset();
    setTagging(open);
  };
  if (ids.size === 0 && refused.length === 0) return null;
  return (
    <div className="grid gap-2">
      <section
        aria-label={monitorsText.selection.label}
        className="flex min-h-control flex-wrap items-center gap-2 rounded-control bg-selected px-3 py-1 text-ui"
      >
        <span role="status" className="font-medium figures">
          {monitorsText.selection.count(ids.size)}
        </span>
        {ids.size < rows.length && (
          <Button look="quiet" onClick={all}>
            {monitorsText.selection.selectLoaded(rows.length)}
          </Button>
        )}
        <Button icon={Pause} needs={needs} busy={change.running} onClick={() => change.run({ paused: true })}>
          {monitorsText.selection.pause}
        </Button>
        <Button icon={Play} needs={needs} busy={change.running} onClick={() => change.run({ paused: false })}>
          {monitorsText.selection.resume}
        </Button>
        <MuteMenu onMute={(muted_until) => change.run({ muted_until })} />
        <Button icon={Tag} needs={needs} busy={change.running} onClick={() => openTags(true)}>
          {monitorsText.selection.editTags}
        </Button>
        <PlanLink ids={ids} />
        <Button look="quiet" onClick={clear}>
          {monitorsText.page.clearSelection}
        </Button>
      </section>
      {change.error && !tagging && <Notice state="failing">{change.error.message}</Notice>}
      <FailedMonitors refused={refused} onDismiss={dismiss} />
      {tagging && <TagsDialog some={ids.size} change={change} onClose={() => openTags(false)} />}
    </div>
  );
}

function PlanLink({ ids }: { readonly ids: ReadonlySet<string> }) {
  return (
    <OrgLink
      to="/maintenance"
      search={{ plan: [...ids].join() }}
      className="inline-flex h-control items-center gap-1.5 rounded-control border border-line-strong bg-surface px-3 text-ui shadow-control hover:bg-hover"
    >
      <Wrench size={16} strokeWidth={1.75} aria-hidden="true" /> {monitorsText.selection.planMaintenance}
    </OrgLink>
  );
}

function MuteMenu({ onMute }: { readonly onMute: (until: string | null) => void }) {
  return (
    <Menu
      align="start"
      trigger={
        <Button icon={BellOff} needs="monitoring">
          {monitorsText.selection.mute}
        </Button>
      }
    >
      {MUTE_DURATIONS.map(({ hours, label }) => (
        <MenuItem key={hours} icon={BellOff} onSelect={() => onMute(computeTimestampAfterHours(hours))}>
          {label}
        </MenuItem>
      ))}
      <MenuItem icon={Bell} onSelect={() => onMute(null)}>
        {monitorsText.actions.unmute}
      </MenuItem>
    </Menu>
  );
}

/**
 * Returns a function that changes the selected monitors and refreshes their rows. The toast after a pause has
 * an undo button.
 */
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
            showToast(error instanceof Error ? error.message : monitorsText.selection.resumeFailed),
          );
      if (changed.length > 0)
        showToast(bulkChangeToast(changed.length, asked), asked.paused === true ? undo : undefined);
    },
  });
  return { change, refused, dismiss: () => setRefused([]) };
}

function bulkChangeToast(changed: number, { paused, muted_until: muted }: BulkMonitorChange): string {
  if (paused !== undefined)
    return paused ? monitorsText.selection.paused(changed) : monitorsText.selection.resumed(changed);
  if (muted === undefined) return monitorsText.selection.tagged(changed);
  return muted === null ? monitorsText.selection.unmuted(changed) : monitorsText.selection.muted(changed);
}

/**
 * Lists the monitors that were not changed, with the reason: they are defined in floe.yaml or were deleted.
 */
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
        {monitorsText.selection.notChanged(refused.length)}{' '}
        {refused
          .slice(0, 3)
          .map(({ message }) => message)
          .join(' ')}
        {rest > 0 && ` ${monitorsText.selection.moreNotChanged(rest)}`}{' '}
        <button type="button" className="underline" onClick={onDismiss}>
          {monitorsText.selection.dismiss}
        </button>
      </Notice>
    </div>
  );
}

function TagsDialog({
  some,
  change,
  onClose,
}: {
  readonly some: number;
  readonly change: ApiMutation<BulkMonitorChange>;
  readonly onClose: () => void;
}) {
  const [added, setAdded] = useState('');
  const [removed, setRemoved] = useState('');
  const [add, remove] = [parseListInput(added), parseListInput(removed)];
  return (
    <Dialog open onClose={onClose} title={monitorsText.selection.tagsTitle(some)}>
      <Form
        onSubmit={() => {
          if (add.length + remove.length > 0) change.run({ add_tags: add, remove_tags: remove });
        }}
        error={change.error}
        running={change.running}
        actions={
          <>
            <Button onClick={onClose}>{monitorsText.selection.cancel}</Button>
            <Button type="submit" look="primary" needs="monitoring" busy={change.running}>
              {monitorsText.selection.saveTags}
            </Button>
          </>
        }
      >
        <Field label={monitorsText.selection.addTags} hint={monitorsText.selection.tagsHint}>
          <Input
            value={added}
            placeholder={monitorsText.selection.addTagsPlaceholder}
            onChange={({ target }) => setAdded(target.value)}
          />
        </Field>
        <Field label={monitorsText.selection.removeTags} hint={monitorsText.selection.tagsHint}>
          <Input value={removed} onChange={({ target }) => setRemoved(target.value)} />
        </Field>
      </Form>
    </Dialog>
  );
}
