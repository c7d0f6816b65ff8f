import { Rocket, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { OrgLink } from '../app/org-link.tsx';
import type { Mark } from '../data/mark-words.ts';
import { browserZone, fullTime } from '../format/moments.ts';
import { StateIcon } from './state.tsx';

/** Shown before somebody asks for all. */
const AT_ONCE = 3;

/** The marks of a chart as a list: what a pointer would find in it, for everybody. Nothing when there are none. */
export function MarkList({
  marks,
  zone = browserZone(),
}: {
  readonly marks: readonly Mark[];
  readonly zone?: string;
}) {
  const [all, setAll] = useState(false);
  if (marks.length === 0) return null;
  return (
    <section aria-label="What happened in this time" className="text-small">
      <p className="flex flex-wrap items-center gap-x-3 text-ink-2">
        What happened in this time: {marks.length}
        {marks.length > AT_ONCE && (
          <button
            type="button"
            aria-expanded={all}
            onClick={() => setAll(!all)}
            className="min-h-6 underline hover:text-ink"
          >
            {all ? `Show the newest ${AT_ONCE}` : 'Show all'}
          </button>
        )}
      </p>
      <ol aria-label="What happened in this time" className="mt-1 grid gap-1">
        {(all ? marks : marks.slice(0, AT_ONCE)).map((mark) => (
          <li
            key={`${mark.at} ${mark.text}`}
            className="grid grid-cols-[auto_auto_minmax(0,1fr)] items-start gap-x-2 max-md:grid-cols-[auto_minmax(0,1fr)]"
          >
            <span className="mt-px">
              <MarkIcon mark={mark} />
            </span>
            <time
              dateTime={new Date(mark.at).toISOString()}
              className="text-ink-3 figures max-md:col-start-2"
            >
              {fullTime(new Date(mark.at), zone)}
            </time>
            <span className="min-w-0 break-words max-md:col-start-2">
              {mark.page ? (
                <OrgLink to={mark.page.to} search={mark.page.search} className="text-ink underline">
                  {mark.text}
                </OrgLink>
              ) : (
                mark.text
              )}
              {mark.by && <span className="text-ink-2"> by {mark.by}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function MarkIcon({ mark: { kind, state } }: { readonly mark: Mark }) {
  if (state) return <StateIcon state={state} size={14} />;
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
