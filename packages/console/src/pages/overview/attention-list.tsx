import type { OverviewAttentionItem } from '@floe/contract/api/overview';
import { ChevronRight } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { buildAttentionLink, getAttentionLabel, getAttentionStatus } from './attention.ts';
import { overviewText } from './text.ts';

/** Lists what needs attention, most urgent first. If nothing does, shows a single line that says so. */
export function AttentionList({
  attention,
  more,
}: {
  readonly attention: readonly OverviewAttentionItem[];
  readonly more: boolean;
}) {
  if (attention.length === 0)
    return (
      <p className="flex items-center gap-2 text-ui text-ink-2">
        <StatusIcon state="healthy" />
        {overviewText.attention.none}
      </p>
    );
  return (
    <section
      aria-labelledby="needs-attention"
      className="overflow-hidden rounded-card border border-line bg-surface"
    >
      <h2 id="needs-attention" className="px-4 pt-3 pb-1.5 text-label text-ink-2">
        {overviewText.attention.title} <span className="text-ink-3 figures">{attention.length}</span>
      </h2>
      <ul>
        {attention.map((entry) => (
          <li key={`${entry.kind} ${entry.subject.id}`} className="border-t border-line first:border-t-0">
            <OrgLink
              {...buildAttentionLink(entry)}
              className="flex min-h-10 items-center gap-2.5 px-4 py-1.5 text-ui text-ink -outline-offset-2 hover:bg-hover"
            >
              <StatusIcon state={getAttentionStatus(entry)} />
              <span className="min-w-0 flex-1">
                <span className="font-medium">
                  {overviewText.attention.label(getAttentionLabel(entry), entry.subject.name)}
                </span>{' '}
                <span className="break-words text-ink-2">{entry.text}</span>
              </span>
              {entry.since && (
                <span className="shrink-0 text-small text-ink-3 max-md:hidden">
                  <RelativeTimeText at={entry.since} />
                </span>
              )}
              <ChevronRight size={16} className="shrink-0 text-ink-3" aria-hidden="true" />
            </OrgLink>
          </li>
        ))}
      </ul>
      {more && (
        <p className="border-t border-line px-4 py-2 text-small text-ink-2">{overviewText.attention.more}</p>
      )}
    </section>
  );
}
