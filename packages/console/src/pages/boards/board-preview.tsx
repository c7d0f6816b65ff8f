import type { boardPreview } from '@floe/contract/api/boards';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { sendJson } from '../../data/api-client.ts';
import { useDebounced } from '../../data/debounced.ts';
import { Skeleton } from '../../ui/feedback.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { type BoardForm, boardBody } from './board-form.ts';

const WIDTHS = [
  { id: 'desktop', label: 'Desktop' },
  { id: 'phone', label: 'Phone' },
] as const;
const THEMES = [
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
] as const;

/** The real page, as the server draws it, of a board that is not saved yet. */
export function BoardPreview({ form }: { readonly form: BoardForm }) {
  const [width, setWidth] = useState(() => (matchMedia('(width < 48rem)').matches ? 'phone' : 'desktop'));
  const [theme, setTheme] = useState(() =>
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  );
  const body = useDebounced({ ...boardBody(form), slug: form.slug.trim() || 'preview' });
  const { data, error } = useQuery({
    queryKey: ['boards', 'preview', body],
    queryFn: () => sendJson<z.output<typeof boardPreview>>('POST', 'api/monitoring/boards/preview', body),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-label="Preview" className="grid min-w-0 content-start gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="flex-1 text-body font-semibold">Preview</h2>
        <SegmentedControl label="Width of the preview" options={WIDTHS} value={width} onChange={setWidth} />
        <SegmentedControl label="Theme of the preview" options={THEMES} value={theme} onChange={setTheme} />
      </div>
      {error && <p className="text-small text-failing-ink">{error.message}</p>}
      {data ? (
        <div className="overflow-hidden rounded-card border border-line-strong bg-sunken">
          <iframe
            title="The board as others will see it"
            sandbox=""
            srcDoc={data.html}
            // The page follows the scheme of the element it stands in.
            style={{ colorScheme: theme, width: width === 'phone' ? 390 : '100%' }}
            className="mx-auto block h-[70dvh] min-h-96 max-w-full bg-page"
          />
        </div>
      ) : (
        !error && <Skeleton className="h-96" />
      )}
    </section>
  );
}
