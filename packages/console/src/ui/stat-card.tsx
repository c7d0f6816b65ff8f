import type { ReactNode } from 'react';

/** Renders a number with its label, and optionally a note and the change from the previous period. */
export function StatCard({
  label,
  value,
  remark,
  delta,
}: {
  readonly label: string;
  readonly value: ReactNode;
  readonly remark?: ReactNode;
  readonly delta?: ReactNode;
}) {
  return (
    <div className="min-w-0">
      <div className="text-label text-ink-2">{label}</div>
      <div className="flex items-baseline gap-1.5">
        <span className="truncate text-figure font-semibold tracking-tight figures">{value}</span>
        {delta}
      </div>
      {remark && <div className="text-small text-ink-3">{remark}</div>}
    </div>
  );
}
