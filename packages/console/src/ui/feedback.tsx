import { Inbox, RotateCw } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../data/api-error.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { StatusIcon } from './status.tsx';

/** Shown in place of an empty list: a title, what the list will contain, and optional actions. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="mx-auto grid max-w-xl content-start justify-items-center gap-2 px-4 py-14 text-center">
      <Inbox size={20} strokeWidth={1.5} className="text-ink-3" aria-hidden="true" />
      <h2 className="text-body font-semibold">{title}</h2>
      {children && <div className="text-body text-ink-2">{children}</div>}
      {action && (
        <div className="mt-2 flex flex-wrap items-center justify-center gap-2 text-ui">{action}</div>
      )}
    </div>
  );
}

/**
 * Shown in place of content that failed to load: what failed, the error with its code and request ID, and an
 * optional retry button.
 */
export function ErrorState({
  what,
  error,
  onRetry,
}: {
  /** What failed, as a sentence. Example: `Could not load requests.` */
  readonly what: string;
  readonly error: Error;
  readonly onRetry?: () => void;
}) {
  const apiError = error instanceof ApiError ? error : null;
  return (
    <div role="alert" className="mx-auto grid max-w-xl gap-2 px-4 py-10">
      <p className="flex items-center gap-2 text-body font-semibold">
        <StatusIcon state="failing" />
        {what}
      </p>
      <p className="text-body text-ink-2">
        {apiError?.message ?? 'An error occurred in the console. Reload the page.'}
      </p>
      {apiError && (
        <p className="flex flex-wrap items-center gap-2 text-small text-ink-3">
          <code className="font-mono">{apiError.code}</code>
          {apiError.requestId && (
            <>
              Request ID: <code className="font-mono">{apiError.requestId}</code>
              <CopyButton text={apiError.requestId} label="Copy request ID" />
            </>
          )}
        </p>
      )}
      {onRetry && (
        <div>
          <Button icon={RotateCw} onClick={onRetry}>
            Retry
          </Button>
        </div>
      )}
    </div>
  );
}

/**
 * Renders a placeholder in the shape of content that is loading. It becomes visible after 150 ms, so that the
 * page does not flicker if the response is fast.
 */
export function Skeleton({ className }: { readonly className?: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div
      aria-hidden="true"
      data-skeleton
      className={`${className ?? 'h-4 w-full'} rounded-tag ${late ? 'animate-pulse bg-line motion-reduce:animate-none' : ''}`}
    />
  );
}

/** Renders placeholder rows while a list is loading. */
export function SkeletonRows({ rows = 12 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line px-4 md:px-6">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows are identical.
        <div key={index} className="flex h-row items-center gap-6">
          <Skeleton className="h-3 w-24" />
          <Skeleton className="h-3 w-16" />
          <Skeleton className="h-3 flex-1" />
        </div>
      ))}
    </div>
  );
}

/**
 * Renders a notice about the content below it, for example that this content is outdated, partial or read-only.
 */
export function Notice({
  state = 'warning',
  children,
}: {
  readonly state?: 'warning' | 'failing' | 'unknown' | 'maintenance' | 'partial' | 'aborted';
  readonly children: ReactNode;
}) {
  const tints = {
    warning: 'bg-warning-tint border-warning-line',
    failing: 'bg-failing-tint border-failing-line',
    unknown: 'bg-unknown-tint border-unknown-line',
    maintenance: 'bg-maintenance-tint border-maintenance-line',
    partial: 'bg-partial-tint border-partial-line',
    aborted: 'bg-paused-tint border-paused-line',
  };
  return (
    <div className={`flex items-start gap-2 rounded-control border px-3 py-2 text-ui ${tints[state]}`}>
      <span className="mt-0.5">
        <StatusIcon state={state} />
      </span>
      <div className="min-w-0">{children}</div>
    </div>
  );
}
