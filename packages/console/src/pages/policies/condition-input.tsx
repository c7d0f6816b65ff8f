import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { joinClassNames } from '../../ui/class-names.ts';
import { CodeArea } from '../../ui/field.tsx';
import { OPTION_CLASS, POPUP_CLASS } from '../../ui/menu.tsx';
import { OptionList } from '../../ui/option-list.tsx';
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
  const placeCaret = usePlacedCaret(box, value);
  const list = useId();
  const offers = caret === null ? [] : namesFor(wordBefore(value, caret), on);
  const take = (name: string) => {
    const next = completed(value, caret ?? value.length, name);
    placeCaret(next.caret);
    onChange(next.text);
    setCaret(null);
  };
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
      <CodeArea
        ref={box}
        rows={4}
        aria-autocomplete="list"
        aria-controls={list}
        {...(offers[at] ? { 'aria-activedescendant': `${list}-${at}` } : {})}
        value={value}
        placeholder="request.max_tokens > 8000"
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

/** Places the caret with the next text, before the next key: a frame later, who types fast has typed on already. */
function usePlacedCaret(box: RefObject<HTMLTextAreaElement | null>, value: string): (caret: number) => void {
  const placed = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (placed.current === null || box.current?.value !== value) return;
    box.current.setSelectionRange(placed.current, placed.current);
    placed.current = null;
  }, [box, value]);
  return (caret) => {
    placed.current = caret;
  };
}

function Names({
  id,
  offers,
  at,
  onTake,
}: {
  readonly id: string;
  readonly offers: ReturnType<typeof namesFor>;
  readonly at: number;
  readonly onTake: (name: string) => void;
}) {
  return (
    <OptionList
      id={id}
      label="Names"
      options={offers}
      at={at}
      keyOf={([name]) => name}
      onTake={([name]) => onTake(name)}
      className={joinClassNames(POPUP_CLASS, 'absolute inset-x-0 top-full mt-1')}
      optionClass={joinClassNames(OPTION_CLASS, 'flex-wrap gap-x-3')}
    >
      {([name, holds]) => (
        <>
          <code className="font-mono text-code">{name}</code>
          <span className="text-small text-ink-3">{holds}</span>
        </>
      )}
    </OptionList>
  );
}
