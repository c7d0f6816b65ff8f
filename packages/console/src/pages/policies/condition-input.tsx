import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { cx } from '../../ui/class-names.ts';
import { TextArea } from '../../ui/field.tsx';
import { POPUP } from '../../ui/menu.tsx';
import { completed, namesFor, wordBefore } from './condition-names.ts';

/** Where a CEL condition is typed: names it can read are offered with what they hold. Inside a `Field`. */
export function ConditionInput({
  value,
  on,
  onChange,
}: {
  readonly value: string;
  readonly on: 'request' | 'answer';
  readonly onChange: (value: string) => void;
}) {
  const [caret, setCaret] = useState<number | null>(null);
  const [at, setAt] = useState(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const placed = useRef<number | null>(null);
  const list = useId();
  const offers = caret === null ? [] : namesFor(wordBefore(value, caret), on);
  const take = (name: string) => {
    const next = completed(value, caret ?? value.length, name);
    placed.current = next.caret;
    onChange(next.text);
    setCaret(null);
  };
  // With the completed text, before the next key: a frame later, somebody who types fast has typed on already.
  useLayoutEffect(() => {
    if (placed.current === null || box.current?.value !== value) return;
    box.current.setSelectionRange(placed.current, placed.current);
    placed.current = null;
  }, [value]);
  function press(event: KeyboardEvent) {
    const offer = offers[at];
    if (offer === undefined) return;
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, offers.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' || event.key === 'Tab') take(offer[0]);
    else if (event.key === 'Escape') setCaret(null);
    else return;
    event.preventDefault();
  }
  return (
    <div className="relative">
      <TextArea
        ref={box}
        rows={4}
        spellCheck={false}
        aria-autocomplete="list"
        aria-controls={list}
        {...(offers[at] ? { 'aria-activedescendant': `${list}-${at}` } : {})}
        value={value}
        placeholder="request.max_tokens > 8000"
        className="font-mono text-code"
        onChange={({ target }) => {
          onChange(target.value);
          setCaret(target.selectionStart);
          setAt(0);
        }}
        onKeyDown={press}
        onBlur={() => setCaret(null)}
      />
      <Names id={list} offers={offers} at={at} onTake={take} />
    </div>
  );
}

function Names({
  id,
  offers,
  at,
  onTake,
}: {
  readonly id: string;
  readonly offers: readonly (readonly [string, string])[];
  readonly at: number;
  readonly onTake: (name: string) => void;
}) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Names"
      className={cx(POPUP, 'absolute inset-x-0 top-full mt-1', offers.length === 0 && 'hidden')}
    >
      {offers.map(([name, holds], index) => (
        <div
          key={name}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onPointerDown={(event) => {
            event.preventDefault();
            onTake(name);
          }}
          className="flex min-h-8 flex-wrap items-center gap-x-3 rounded-tag px-2 hover:bg-hover aria-selected:bg-hover"
        >
          <code className="font-mono text-code">{name}</code>
          <span className="text-small text-ink-3">{holds}</span>
        </div>
      ))}
    </div>
  );
}
