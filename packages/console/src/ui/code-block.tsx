import { useState } from 'react';
import { joinClassNames } from './class-names.ts';
import { CopyButton } from './copy-button.tsx';
import { ScrollArea } from './scroll-area.tsx';

/** Code to copy, and the label of the tab that shows it. */
export interface Snippet {
  readonly label: string;
  readonly code: string;
}

const REMEMBERED = 'floe.snippet';

/**
 * Renders code with a copy button. If there are several languages, each has a tab. The language that the user
 * selects is shown first in all code blocks.
 */
export function CodeBlock({ snippets }: { readonly snippets: readonly Snippet[] }) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(REMEMBERED));
  const shown = snippets.find(({ label }) => label === chosen) ?? snippets[0];
  if (!shown) return null;
  const choose = (label: string) => {
    localStorage.setItem(REMEMBERED, label);
    setChosen(label);
  };
  return (
    <figure className="overflow-hidden rounded-control border border-line bg-sunken">
      <figcaption className="flex items-center gap-1 border-b border-line bg-surface py-1 pr-1 pl-2">
        {snippets.length === 1 ? (
          <span className="flex-1 text-label text-ink-2">{shown.label}</span>
        ) : (
          <span className="flex flex-1 gap-1 overflow-x-auto">
            {snippets.map(({ label }) => (
              <button
                key={label}
                type="button"
                aria-pressed={label === shown.label}
                onClick={() => choose(label)}
                className={joinClassNames(
                  'h-6 rounded-tag px-2 text-label whitespace-nowrap text-ink-2',
                  'aria-pressed:bg-accent-tint aria-pressed:text-accent-ink',
                )}
              >
                {label}
              </button>
            ))}
          </span>
        )}
        <CopyButton text={shown.code} label={`Copy ${shown.label}`} />
      </figcaption>
      <ScrollArea as="pre" className="overflow-x-auto p-3 font-mono text-code -outline-offset-2">
        {shown.code}
      </ScrollArea>
    </figure>
  );
}
