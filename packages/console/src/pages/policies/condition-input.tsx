import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { joinClassNames } from '../../ui/class-names.ts';
import { CodeArea } from '../../ui/field.tsx';
import { OPTION_CLASS, POPUP_CLASS } from '../../ui/menu.tsx';
import { OptionList } from '../../ui/option-list.tsx';
import {
  getWordBeforeCaret,
  insertConditionVariable,
  suggestConditionVariables,
} from './condition-variables.ts';
import { policiesText } from './text.ts';

/**
 * Renders the input for a CEL condition. Suggests the names that a condition can use. Must be inside a
 * `Field`.
 */
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
  const suggestions = caret === null ? [] : suggestConditionVariables(getWordBeforeCaret(value, caret), on);
  const accept = (name: string) => {
    const next = insertConditionVariable(value, caret ?? value.length, name);
    placeCaret(next.caret);
    onChange(next.text);
    setCaret(null);
  };
  function press(event: KeyboardEvent) {
    const suggestion = suggestions[at];
    if (suggestion === undefined) return;
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, suggestions.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' || event.key === 'Tab') accept(suggestion[0]);
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
        {...(suggestions[at] ? { 'aria-activedescendant': `${list}-${at}` } : {})}
        value={value}
        placeholder={policiesText.fields.conditionPlaceholder}
        onChange={({ target }) => {
          onChange(target.value);
          setCaret(target.selectionStart);
          setAt(0);
        }}
        onKeyDown={press}
        onBlur={() => setCaret(null)}
      />
      <Names id={list} suggestions={suggestions} at={at} onTake={accept} />
    </div>
  );
}

/**
 * Sets the caret in the same render as the value. If it were set one frame later, fast typing would go to the
 * wrong position.
 */
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
  suggestions,
  at,
  onTake,
}: {
  readonly id: string;
  readonly suggestions: ReturnType<typeof suggestConditionVariables>;
  readonly at: number;
  readonly onTake: (name: string) => void;
}) {
  return (
    <OptionList
      id={id}
      label={policiesText.fields.names}
      options={suggestions}
      at={at}
      keyOf={([name]) => name}
      onTake={([name]) => onTake(name)}
      className={joinClassNames(POPUP_CLASS, 'absolute inset-x-0 top-full mt-1')}
      optionClass={joinClassNames(OPTION_CLASS, 'flex-wrap gap-x-3')}
    >
      {([name, description]) => (
        <>
          <code className="font-mono text-code">{name}</code>
          <span className="text-small text-ink-3">{description}</span>
        </>
      )}
    </OptionList>
  );
}
