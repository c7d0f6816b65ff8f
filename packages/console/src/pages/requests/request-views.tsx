import type { UrlChanges } from '../../app/url-state.ts';
import { cx } from '../../ui/class-names.ts';

interface View {
  readonly label: string;
  readonly filters: Readonly<Record<string, string>>;
}

/** The built-in views; saved ones will stand behind them. */
const VIEWS: readonly View[] = [
  { label: 'All', filters: {} },
  { label: 'Errors', filters: { state: 'failed' } },
  { label: 'Blocked', filters: { state: 'blocked' } },
  { label: 'Partial', filters: { state: 'partial' } },
  { label: 'Cached', filters: { state: 'cached' } },
  { label: 'IDE', filters: { route_mode: 'ide' } },
];
const NAMES = ['state', 'route_mode'];

/** Views as tabs over the list: filters by name. */
export function RequestViews({
  query,
  onChange,
}: {
  readonly query: URLSearchParams;
  readonly onChange: (changes: UrlChanges) => void;
}) {
  const isOn = ({ filters }: View) => NAMES.every((name) => (query.get(name) ?? undefined) === filters[name]);
  return (
    <nav aria-label="Views" className="flex gap-1 overflow-x-auto border-b border-line px-4 md:px-6">
      {VIEWS.map((view) => (
        <button
          key={view.label}
          type="button"
          aria-current={isOn(view) ? 'true' : undefined}
          onClick={() =>
            onChange(Object.fromEntries(NAMES.map((name) => [name, view.filters[name] ?? null])))
          }
          className={cx(
            '-mb-px flex h-10 shrink-0 items-center border-b-2 px-2 text-ui font-medium -outline-offset-2',
            isOn(view) ? 'border-accent text-ink' : 'border-transparent text-ink-2 hover:text-ink',
          )}
        >
          {view.label}
        </button>
      ))}
    </nav>
  );
}
