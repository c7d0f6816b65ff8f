import type { boardPreview } from '@floe/contract/api/boards';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { sendJson } from '../../data/api-client.ts';
import { useDebouncedValue } from '../../data/use-debounced-value.ts';
import { Skeleton } from '../../ui/feedback.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { type BoardFormValues, toBoardBody } from './board-form.ts';
import { boardsText } from './text.ts';

const WIDTHS = [
  { id: 'desktop', label: boardsText.preview.desktop },
  { id: 'phone', label: boardsText.preview.phone },
] as const;
const THEMES = [
  { id: 'light', label: boardsText.preview.light },
  { id: 'dark', label: boardsText.preview.dark },
] as const;

/** Shows an unsaved board exactly as the server will render it. */
export function BoardPreview({ form }: { readonly form: BoardFormValues }) {
  const [width, setWidth] = useState(() => (matchMedia('(width < 48rem)').matches ? 'phone' : 'desktop'));
  const [theme, setTheme] = useState(() =>
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  );
  const body = useDebouncedValue({ ...toBoardBody(form), slug: form.slug.trim() || 'preview' });
  const { data, error } = useQuery({
    queryKey: ['boards', 'preview', body],
    queryFn: () => sendJson<z.output<typeof boardPreview>>('POST', 'api/monitoring/boards/preview', body),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-label={boardsText.preview.title} className="grid min-w-0 content-start gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="flex-1 text-body font-semibold">{boardsText.preview.title}</h2>
        <SegmentedControl
          label={boardsText.preview.width}
          options={WIDTHS}
          value={width}
          onChange={setWidth}
        />
        <SegmentedControl
          label={boardsText.preview.theme}
          options={THEMES}
          value={theme}
          onChange={setTheme}
        />
      </div>
      {error && <p className="text-small text-failing-ink">{error.message}</p>}
      {data ? (
        <div className="overflow-hidden rounded-card border border-line-strong bg-sunken">
          <iframe
            title={boardsText.preview.frame}
            sandbox=""
            srcDoc={data.html}
            // The previewed page uses the color scheme of its frame.
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
