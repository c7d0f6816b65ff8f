import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { UrlParameterChanges } from '../../app/url-state.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { requestListMenusText } from './request-list-menus-text.ts';
import { type SavedView, selectViewParameters, toSavedViewParameters } from './saved-views.ts';
import { createView, deleteView, replaceViewFilters, updateView } from './view-data.ts';

const ViewDialog = lazy(() =>
  import('./saved-view-dialog.tsx').then(({ SavedViewDialog: Part }) => ({ default: Part })),
);

const TOUCHES = [['views']] as const;

/** Renders a button that saves the current filters, relative time range and columns as a new view. */
export function SaveViewButton({
  query,
  onChange,
}: {
  readonly query: URLSearchParams;
  readonly onChange: (changes: UrlParameterChanges) => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" icon={Plus} needs="views" onClick={() => setOpen(true)} className="self-center">
        {requestListMenusText.views.save}
      </Button>
      {open && (
        <Suspense>
          <ViewDialog
            title={requestListMenusText.views.save}
            saveView={(name, shared, keys) => createView(name, shared, selectViewParameters(query), keys)}
            onClose={() => setOpen(false)}
            onDone={(saved) => onChange({ view: saved.id })}
          />
        </Suspense>
      )}
    </>
  );
}

/** Renders a menu with the actions on the current view. */
export function SavedViewMenu({
  saved,
  query,
  edited,
  onChange,
  onReset,
}: {
  readonly saved: SavedView;
  readonly query: URLSearchParams;
  readonly edited: boolean;
  readonly onChange: (changes: UrlParameterChanges) => void;
  readonly onReset: () => void;
}) {
  const [renaming, setRenaming] = useState(false);
  const shared = useDenialReason(saved.shared ? 'management' : 'views');
  const { update, remove } = useViewChanges(saved, query, onChange);
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" className="self-center">
            {edited ? requestListMenusText.views.edited : requestListMenusText.views.edit}
          </Button>
        }
        align="start"
      >
        <MenuItem disabled={!edited || shared !== null} onSelect={() => update.run(undefined)}>
          {requestListMenusText.views.update}
        </MenuItem>
        <MenuItem disabled={!edited} onSelect={onReset}>
          {requestListMenusText.views.reset}
        </MenuItem>
        <MenuItem disabled={shared !== null} onSelect={() => setRenaming(true)}>
          {requestListMenusText.views.rename}
        </MenuItem>
        <MenuItem danger disabled={shared !== null} onSelect={() => remove.run(undefined)}>
          {requestListMenusText.views.delete}
        </MenuItem>
      </Menu>
      {(update.error ?? remove.error) && (
        <span role="alert" className="self-center text-small text-failing-ink">
          {(update.error ?? remove.error)?.message}
        </span>
      )}
      {renaming && (
        <Suspense>
          <ViewDialog
            title={requestListMenusText.views.rename}
            from={saved}
            saveView={(name, isShared) => updateView(saved.id, { name, shared: isShared })}
            onClose={() => setRenaming(false)}
            onDone={() => undefined}
          />
        </Suspense>
      )}
    </>
  );
}

function useViewChanges(
  saved: SavedView,
  query: URLSearchParams,
  onChange: (changes: UrlParameterChanges) => void,
) {
  const client = useQueryClient();
  const failed = (error: unknown) =>
    showToast(error instanceof Error ? error.message : requestListMenusText.views.notRestored);
  const update = useApiMutation(() => replaceViewFilters(saved.id, query), {
    touches: TOUCHES,
    done: () => showToast(requestListMenusText.views.updated(saved.name)),
  });
  const remove = useApiMutation(() => deleteView(saved.id), {
    touches: TOUCHES,
    done() {
      onChange({ view: null });
      // Undo creates the view again, with a new ID.
      showToast(requestListMenusText.views.deleted(saved.name), () => {
        void createView(saved.name, saved.shared, toSavedViewParameters(saved)).then(({ id }) => {
          onChange({ view: id });
          return client.invalidateQueries({ queryKey: ['views'] });
        }, failed);
      });
    },
  });
  return { update, remove };
}
