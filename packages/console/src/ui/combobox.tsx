import { type KeyboardEvent, useId, useState } from 'react';
import { joinClassNames } from './class-names.ts';
import { Chevron, Input, type SelectOption } from './field.tsx';
import { OPTION_CLASS, POPUP_CLASS } from './menu.tsx';
import { OptionList } from './option-list.tsx';

/** The props of a `Combobox`. */
export interface ComboboxProps {
  readonly choices: readonly SelectOption[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly free?: boolean;
  /** Called with the typed text if the server supplies the choices. */
  readonly onType?: (text: string) => void;
}

/**
 * Renders an input that selects one of many choices. Typing filters the choices. If `free` is true, any other
 * text is also accepted. Must be inside a `Field`.
 */
export function Combobox({ choices, value, onChange, placeholder, free = false, onType }: ComboboxProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const list = useId();
  const found = typed === null ? [] : matching(choices, typed);
  const show = (next: string | null) => {
    setTyped(next);
    setAt(0);
  };
  const take = (taken: string) => {
    onChange(taken);
    show(null);
  };
  const type = (next: string) => {
    show(next);
    if (free) onChange(next);
    onType?.(next);
  };
  const leave = () => {
    // A name that was typed completely counts as selected.
    const exact = typed === null || free ? undefined : findExact(found, typed);
    if (exact && exact.value !== value) onChange(exact.value);
    setTyped(null);
    onType?.('');
  };
  function press(event: KeyboardEvent) {
    // The key belongs to the input method, for example Enter that accepts a Japanese word.
    if (event.nativeEvent.isComposing) return;
    const choice = found[at];
    if (event.key === 'ArrowDown' && typed === null) setTyped('');
    else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' && choice) take(choice.value);
    else if (event.key === 'Escape' && typed !== null) setTyped(null);
    // The typed text is not yet a choice, so Enter must not submit the form without it.
    else if (event.key !== 'Enter' || free || !typed) return;
    event.preventDefault();
  }
  return (
    <div className="relative [&>input]:pr-8">
      <Input
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={list}
        {...(typed === null ? {} : { 'data-typed': '' })}
        aria-autocomplete="list"
        {...(found[at] ? { 'aria-activedescendant': `${list}-${at}` } : {})}
        value={typed ?? labelOf(choices, value)}
        placeholder={placeholder}
        autoComplete="off"
        onClick={() => typed === null && setTyped('')}
        onChange={({ target }) => type(target.value)}
        onKeyDown={press}
        onBlur={leave}
      />
      <Chevron />
      <ChoiceList id={list} found={found} at={at} onTake={take} />
    </div>
  );
}

function labelOf(choices: readonly SelectOption[], value: string): string {
  return choices.find((choice) => choice.value === value)?.label ?? value;
}

function ChoiceList({
  id,
  found,
  at,
  onTake,
}: {
  readonly id: string;
  readonly found: readonly SelectOption[];
  readonly at: number;
  readonly onTake: (value: string) => void;
}) {
  return (
    <OptionList
      id={id}
      label="Options"
      options={found}
      at={at}
      keyOf={({ value }) => value}
      onTake={({ value }) => onTake(value)}
      className={joinClassNames(POPUP_CLASS, 'absolute inset-x-0 top-full mt-1 max-h-64')}
      optionClass={OPTION_CLASS}
    >
      {({ label }) => label}
    </OptionList>
  );
}

/** Returns the choice with this label, or undefined if there is none or more than one. */
function findExact(choices: readonly SelectOption[], text: string): SelectOption | undefined {
  const wanted = text.trim().toLowerCase();
  const [exact, ...others] = choices.filter(({ label }) => label.toLowerCase() === wanted);
  return others.length === 0 ? exact : undefined;
}

function matching(choices: readonly SelectOption[], text: string): SelectOption[] {
  const wanted = text.trim().toLowerCase();
  return choices
    .filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(wanted))
    .slice(0, 50);
}
