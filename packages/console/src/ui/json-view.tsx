import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';

/**
 * Number of children rendered at once, so that a large body cannot freeze the page. A button shows the rest.
 */
const STEP = 100;

/**
 * Shows a JSON value as a tree. Values below the second level are initially collapsed. Strings are always
 * rendered as plain text.
 */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <div className="relative overflow-x-auto rounded-control border border-line bg-sunken p-3 font-mono text-code">
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={JSON.stringify(value, null, 2)} label={`Copy ${label}`} />
      </div>
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({
  name,
  value,
  depth,
}: {
  readonly name?: string;
  readonly value: unknown;
  readonly depth: number;
}) {
  const [open, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(STEP);
  const label = name === undefined ? null : <span className="text-ink-2">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className="pl-4 break-words whitespace-pre-wrap">
        {label}
        <Leaf value={value} />
      </div>
    );
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0)
    return (
      <div className="pl-4">
        {label}
        {brackets}
      </div>
    );
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <div className="pl-4">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-ml-4 inline-flex min-h-6 items-center pl-0"
      >
        <Arrow size={14} aria-hidden="true" className="mr-0.5 text-ink-3" />
        {label}
        <span className="ml-1 text-ink-3">
          {Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}
        </span>
      </button>
      {open &&
        entries
          .slice(0, shown)
          .map(([key, child]) => <Node key={key} name={key} value={child} depth={depth + 1} />)}
      {open && entries.length > shown && (
        <button
          type="button"
          onClick={() => setShown(shown + STEP)}
          className="ml-4 min-h-6 text-accent-ink underlined"
        >
          Show {Math.min(STEP, entries.length - shown)} more
        </button>
      )}
    </div>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <span className="text-healthy-ink">{JSON.stringify(value)}</span>;
  return <span className="text-accent-ink">{String(value)}</span>;
}
