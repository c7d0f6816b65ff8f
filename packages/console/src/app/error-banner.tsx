import type { ReactNode } from 'react';
import { StatusIcon } from '../ui/status.tsx';

/** Renders a problem that affects the whole page, above its content. Screen readers announce it. */
export function ErrorBanner({ text, children }: { readonly text: ReactNode; readonly children?: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-failing-line bg-failing-tint px-4 py-1.5 text-ui text-ink"
    >
      <StatusIcon state="failing" />
      <p className="min-w-0 break-words">{text}</p>
      {children}
    </div>
  );
}
