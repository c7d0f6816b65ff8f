import { Rocket, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { OrgLink } from '../app/org-link.tsx';
import type { ChartAnnotation } from '../data/chart-annotation.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../format/times.ts';
import { Popover } from './popover.tsx';
import { StatusIcon } from './status.tsx';

/** Number of annotations shown until the user selects “Show all”. */
const AT_ONCE = 3;

/**
 * Lists the annotations of a chart as text, so that they can be read without a pointer. Renders nothing if
 * there are none.
 */
export function AnnotationList({
  marks,
  zone = getBrowserTimeZone(),
}: {
  readonly marks: readonly ChartAnnotation[];
  readonly zone?: string;
}) {
  const [all, setAll] = useState(false);
  if (marks.length === 0) return null;
  return (
    <section aria-label="Events" className="text-small">
      <p className="flex flex-wrap items-center gap-x-3 text-ink-2">
        Events in this range: {marks.length}
        {marks.length > AT_ONCE && (
          <button
            type="button"
            aria-expanded={all}
            onClick={() => setAll(!all)}
            className="min-h-6 underline hover:text-ink"
          >
            {all ? `Show newest ${AT_ONCE}` : 'Show all'}
          </button>
        )}
      </p>
      <ol aria-label="Events" className="mt-1 grid gap-1">
        {(all ? marks : marks.slice(0, AT_ONCE)).map((mark) => (
          <MarkRow key={`${mark.at} ${mark.text}`} mark={mark} zone={zone} />
        ))}
      </ol>
    </section>
  );
}

/**
 * Shows the newest annotation in one line of fixed height, with all annotations in a popover. Use it above
 * rows that must not move.
 */
export function LatestAnnotation({ marks }: { readonly marks: readonly ChartAnnotation[] }) {
  const [newest] = marks;
  if (!newest) return null;
  return (
    <div className="flex h-6 min-w-0 items-center gap-x-4 text-small">
      <Popover
        label="All events"
        align="start"
        trigger={
          <button type="button" className="h-6 shrink-0 text-ink-2 underline hover:text-ink">
            Events: {marks.length}
          </button>
        }
      >
        <ol aria-label="All events" className="grid max-w-2xl gap-1 text-small">
          {marks.map((mark) => (
            <MarkRow key={`${mark.at} ${mark.text}`} mark={mark} />
          ))}
        </ol>
      </Popover>
      <div className="flex min-w-0 items-center gap-x-2 max-md:hidden">
        <MarkIcon mark={newest} />
        <span className="truncate">
          <MarkTime mark={newest} /> <MarkText mark={newest} />
        </span>
      </div>
    </div>
  );
}

function MarkRow({
  mark,
  zone = getBrowserTimeZone(),
}: {
  readonly mark: ChartAnnotation;
  readonly zone?: string;
}) {
  return (
    <li className="grid grid-cols-[auto_auto_minmax(0,1fr)] items-start gap-x-2 max-md:grid-cols-[auto_minmax(0,1fr)]">
      <span className="mt-px">
        <MarkIcon mark={mark} />
      </span>
      <span className="max-md:col-start-2">
        <MarkTime mark={mark} zone={zone} />
      </span>
      <span className="min-w-0 break-words max-md:col-start-2">
        <MarkText mark={mark} />
      </span>
    </li>
  );
}

function MarkTime({
  mark: { at },
  zone = getBrowserTimeZone(),
}: {
  readonly mark: ChartAnnotation;
  readonly zone?: string;
}) {
  return (
    <time dateTime={new Date(at).toISOString()} className="text-ink-3 figures">
      {formatFullDateTime(new Date(at), zone)}
    </time>
  );
}

function MarkText({ mark: { page, text, by } }: { readonly mark: ChartAnnotation }) {
  return (
    <>
      {page ? (
        <OrgLink to={page.to} search={page.search} className="text-ink underline">
          {text}
        </OrgLink>
      ) : (
        text
      )}
      {by && <span className="text-ink-2"> by {by}</span>}
    </>
  );
}

function MarkIcon({ mark: { kind, state } }: { readonly mark: ChartAnnotation }) {
  if (state) return <StatusIcon state={state} size={14} />;
  const Icon = kind === 'note' ? Rocket : SlidersHorizontal;
  return (
    <Icon
      size={14}
      role="img"
      aria-label={kind === 'note' ? 'Note' : 'Change'}
      className="shrink-0 text-ink-3"
    />
  );
}
