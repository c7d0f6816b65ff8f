import type { ReactNode } from 'react';

/**
 * Shows a form, and a preview that stays visible while the user scrolls. The preview is next to the form, or
 * below it on narrow screens.
 */
export function TwoColumnLayout({
  beside,
  children,
}: {
  readonly beside: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,28rem)]">
      <div className="min-w-0">{children}</div>
      <div className="min-w-0 xl:sticky xl:top-4">{beside}</div>
    </div>
  );
}
