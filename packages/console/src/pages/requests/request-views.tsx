import { ERROR_OUTCOMES } from '@floe/contract/exchange-outcome';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent } from 'react';
import type { UrlParameterChanges } from '../../app/url-state.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { Notice } from '../../ui/feedback.tsx';
import { requestListMenusText } from './request-list-menus-text.ts';
import {
  buildUrlChangesToApplyView,
  buildUrlChangesToClearView,
  isViewEdited,
  isViewOnlyUrl,
} from './saved-views.ts';
import { savedViewsQuery } from './view-data.ts';

const SaveView = lazy(() =>
  import('./save-view-button.tsx').then(({ SaveViewButton: Part }) => ({ default: Part })),
);
const ViewMenu = lazy(() =>
  import('./save-view-button.tsx').then(({ SavedViewMenu: Part }) => ({ default: Part })),
);

interface View {
  readonly label: string;
  readonly filters: Readonly<Record<string, string>>;
}

/** The built-in views. They are listed before the saved views. */
const VIEWS: readonly View[] = [
  { label: requestListMenusText.views.builtIn.all, filters: {} },
  {
    label: requestListMenusText.views.builtIn.errors,
    filters: { outcome: ERROR_OUTCOMES.join(',') },
  },
  { label: requestListMenusText.views.builtIn.blocked, filters: { outcome: 'blocked' } },
  { label: requestListMenusText.views.builtIn.partial, filters: { outcome: 'partial' } },
  { label: requestListMenusText.views.builtIn.cached, filters: { outcome: 'cached' } },
  { label: requestListMenusText.views.builtIn.slow, filters: { first_token_ms: '>=2000' } },
  { label: requestListMenusText.views.builtIn.ide, filters: { route_mode: 'ide' } },
];
const VIEW_FILTERS = ['outcome', 'route_mode', 'first_token_ms'];

// The height is the same with and without overflow, so that the rows below do not move.
const STRIP =
  'flex h-10 gap-1 overflow-x-auto overflow-y-hidden [scrollbar-width:none] border-b border-line px-4 md:px-6';

/**
 * Shows the views of the request list as tabs. A view is a named set of filters. The URL parameter `view`
 * selects a saved view.
 */
export function RequestViews({
  query,
  onChange,
}: {
  readonly query: URLSearchParams;
  readonly onChange: (changes: UrlParameterChanges, how?: 'push' | 'replace') => void;
}) {
  const { saved, named, current, isGone } = useNamedView(query, onChange);
  const isOn = ({ filters }: View) =>
    named === null && VIEW_FILTERS.every((name) => (query.get(name) ?? undefined) === filters[name]);
  const edited = current !== undefined && isViewEdited(query, current);
  return (
    <>
      <nav aria-label={requestListMenusText.views.label} className={STRIP}>
        {VIEWS.map((view) => (
          <ViewTab
            key={view.label}
            label={view.label}
            isOn={isOn(view)}
            onChoose={() =>
              onChange({
                // Removes the parameters that a saved view has set.
                ...(current ? buildUrlChangesToClearView(query) : {}),
                view: null,
                ...Object.fromEntries(VIEW_FILTERS.map((name) => [name, view.filters[name] ?? null])),
              })
            }
          />
        ))}
        {saved.map((view) => (
          <ViewTab
            key={view.id}
            label={view.name}
            isOn={view.id === named}
            onChoose={() => onChange(buildUrlChangesToApplyView(query, view))}
          />
        ))}
        <Suspense>
          {current && (
            <ViewMenu
              saved={current}
              query={query}
              edited={edited}
              onChange={onChange}
              onReset={() => onChange(buildUrlChangesToApplyView(query, current))}
            />
          )}
          <SaveView query={query} onChange={onChange} />
        </Suspense>
      </nav>
      {isGone && (
        <div className="px-4 pt-3 md:px-6">
          <Notice>{requestListMenusText.views.missing}</Notice>
        </div>
      )}
    </>
  );
}

/** Returns the saved views and the view in the URL. If the URL contains only a view, applies that view. */
function useNamedView(
  query: URLSearchParams,
  onChange: (changes: UrlParameterChanges, how?: 'push' | 'replace') => void,
) {
  const { data } = useQuery(savedViewsQuery);
  const saved = data?.data ?? [];
  const named = query.get('view');
  const current = saved.find(({ id }) => id === named);
  const open = useEffectEvent(
    () => current && isViewOnlyUrl(query) && onChange(buildUrlChangesToApplyView(query, current), 'replace'),
  );
  useEffect(() => {
    if (current) open();
  }, [current]);
  return { saved, named, current, isGone: named !== null && data !== undefined && !current };
}

function ViewTab({
  label,
  isOn,
  onChoose,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <button
      type="button"
      aria-current={isOn ? 'true' : undefined}
      onClick={onChoose}
      className={joinClassNames(
        '-mb-px flex h-10 max-w-48 shrink-0 items-center border-b-2 px-2 text-ui font-medium -outline-offset-2',
        isOn ? 'border-accent text-ink' : 'border-transparent text-ink-2 hover:text-ink',
      )}
    >
      <span className="truncate">{label}</span>
    </button>
  );
}
