import type { ReactNode } from 'react';

/** A form and beside it what it would do, which stays in view; below it where there is no room. */
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
