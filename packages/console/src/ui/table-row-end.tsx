import type { ReactNode } from 'react';

/** Renders the actions at the end of a row. They are visible while the row is hovered or one of them has the focus. */
export function TableRowEnd({ children }: { readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the table in data-table.tsx.
    <div
      role="cell"
      className="absolute inset-y-0 right-2 flex items-center opacity-0 group-hover:opacity-100 focus-within:opacity-100"
    >
      {children}
    </div>
  );
}
