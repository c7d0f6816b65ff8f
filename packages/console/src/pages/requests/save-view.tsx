import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { UrlChanges } from '../../app/url-state.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { SavedView } from './saved-views.ts';
import { createView, deleteView, replaceViewFilters, updateView } from './view-data.ts';

const ViewDialog = lazy(() =>
  import('./view-dialog.tsx').then(({ ViewDialog: Part }) => ({ default: Part })),
);

const TOUCHES = [['views']] as const;

/** Keeps the filters, the relative time and the columns under a name. */
export function SaveView({
  query,
  onChange,
}: {
  readonly query: URLSearchParams;
  readonly onChange: (changes: UrlChanges) => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" icon={Plus} needs="views" onClick={() => setOpen(true)} className="self-center">
        Save view
      </Button>
      {open && (
        <Suspense>
          <ViewDialog
            title="Save view"
            make={(name, shared) => createView(name, shared, query)}
            onClose={() => setOpen(false)}
            onDone={(saved) => onChange({ view: saved.id })}
          />
        </Suspense>
      )}
    </>
  );
}

/** What can be done with the view that is shown. */
export function ViewMenu({
  saved,
  query,
  edited,
  onChange,
  onReset,
}: {
  readonly saved: SavedView;
  readonly query: URLSearchParams;
  readonly edited: boolean;
  readonly onChange: (changes: UrlChanges) => void;
  readonly onReset: () => void;
}) {
  const [renaming, setRenaming] = useState(false);
  const shared = useDenialReason(saved.shared ? 'management' : 'views');
  const { keep, remove } = useViewChanges(saved, query, onChange);
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" className="self-center">
            {edited ? 'Edited' : 'View'}…
          </Button>
        }
        align="start"
      >
        <MenuItem disabled={!edited || shared !== null} onSelect={() => keep.run(undefined)}>
          Save what is shown
        </MenuItem>
        <MenuItem disabled={!edited} onSelect={onReset}>
          Reset
        </MenuItem>
        <MenuItem disabled={shared !== null} onSelect={() => setRenaming(true)}>
          Rename or share
        </MenuItem>
        <MenuItem danger disabled={shared !== null} onSelect={() => remove.run(undefined)}>
          Delete view
        </MenuItem>
      </Menu>
      {(keep.error ?? remove.error) && (
        <span role="alert" className="self-center text-small text-failing-ink">
          {(keep.error ?? remove.error)?.message}
        </span>
      )}
      {renaming && (
        <Suspense>
          <ViewDialog
            title="Rename or share"
            from={saved}
            make={(name, isShared) => updateView(saved.id, { name, shared: isShared })}
            onClose={() => setRenaming(false)}
            onDone={() => undefined}
          />
        </Suspense>
      )}
    </>
  );
}

function useViewChanges(saved: SavedView, query: URLSearchParams, onChange: (changes: UrlChanges) => void) {
  const client = useQueryClient();
  const failed = (error: unknown) => showToast(error instanceof Error ? error.message : 'Not saved');
  const keep = useApiMutation(() => replaceViewFilters(saved.id, query), {
    touches: TOUCHES,
    done: () => showToast(`${saved.name} shows this from now on`),
  });
  const remove = useApiMutation(() => deleteView(saved.id), {
    touches: TOUCHES,
    done() {
      onChange({ view: null });
      // Undone by saving it again, under an id of its own.
      showToast(`View ${saved.name} deleted`, () => {
        void createView(saved.name, saved.shared, query).then(({ id }) => {
          onChange({ view: id });
          return client.invalidateQueries({ queryKey: ['views'] });
        }, failed);
      });
    },
  });
  return { keep, remove };
}
